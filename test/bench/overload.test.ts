import { describe, expect, it } from 'vitest';
import { courseOf, judgeOverload } from '../../bench/src/overload-verdict.ts';
import type { OriginAnswer } from '../../bench/src/site/overloaded-task.ts';
import { requestsWithin, TokenBucket } from '../../bench/src/site/token-bucket.ts';

const phases = [
  { seconds: 30, capacity: 50 },
  { seconds: 20, capacity: 20 },
  { seconds: 40, capacity: 50 },
];

/** So many requests a second, evenly, from one time to another. */
function evenly(perSecond: number, fromSeconds: number, toSeconds: number): number[] {
  const count = Math.round(perSecond * (toSeconds - fromSeconds));
  return Array.from({ length: count }, (_, n) => 1000 * (fromSeconds + n / perSecond));
}

function served(times: readonly number[]): OriginAnswer[] {
  return times.map((atMs) => ({ atMs, served: true }));
}

describe('the token bucket of an overloaded origin', () => {
  it('serves its burst at once and its capacity after that', () => {
    const bucket = new TokenBucket([{ seconds: 10, capacity: 50 }], 10);
    expect(Array.from({ length: 12 }, () => bucket.take(0)).filter(Boolean)).toHaveLength(10);
    expect(evenly(200, 0.005, 10.005).filter((at) => bucket.take(at)).length).toBeCloseTo(500, -1);
  });

  it('follows the schedule of its capacity', () => {
    expect(requestsWithin(phases, 0, 90_000)).toBe(30 * 50 + 20 * 20 + 40 * 50);
    expect(requestsWithin(phases, 29_000, 31_000)).toBe(70);
    expect(requestsWithin(phases, 200_000, 201_000)).toBe(50);
    const bucket = new TokenBucket(phases, 10);
    const taken = evenly(400, 0, 90).filter((at) => bucket.take(at));
    expect(taken.filter((at) => at >= 31_000 && at < 50_000).length).toBeCloseTo(19 * 20, -1);
    expect(taken.filter((at) => at >= 51_000).length).toBeCloseTo(39 * 50, -1);
  });
});

describe('the verdict on two crawls of an overloaded origin', () => {
  it('finds nothing wrong where they use all there is', () => {
    const log = served([...evenly(50, 0, 30), ...evenly(20, 30, 50), ...evenly(50, 50, 90)]);
    expect(judgeOverload(log, phases)).toEqual({
      used: 1,
      usedByPhase: [1, 1, 1],
      refused: 0,
      backSeconds: 0,
    });
  });

  it('counts refusals, and what was asked after the last phase not at all', () => {
    const refused = evenly(5, 0, 90).map((atMs) => ({ atMs, served: false }));
    const log = [...served(evenly(45, 0, 90)), ...refused, ...served(evenly(50, 90, 120))];
    expect(judgeOverload(log, phases).refused).toBeCloseTo(0.1);
  });

  it('shows the course of it', () => {
    const log = [
      { atMs: 0, served: true },
      { atMs: 9_999, served: false },
      { atMs: 10_000, served: true },
      { atMs: 90_000, served: true },
    ];
    const course = courseOf(log, phases, 10);
    expect(course).toHaveLength(9);
    expect(course.slice(0, 3)).toEqual([
      { served: 1, refused: 1 },
      { served: 1, refused: 0 },
      { served: 0, refused: 0 },
    ]);
  });

  it('says when the capacity that returned was used again', () => {
    const log = served([...evenly(50, 0, 30), ...evenly(20, 30, 62), ...evenly(45, 62, 90)]);
    const { backSeconds } = judgeOverload(log, phases);
    expect(backSeconds).toBeGreaterThanOrEqual(11);
    expect(backSeconds).toBeLessThanOrEqual(12);
  });

  it('says so when it never was, also for an origin that nobody asked', () => {
    expect(judgeOverload(served(evenly(20, 0, 90)), phases).backSeconds).toBeUndefined();
    expect(judgeOverload([], phases)).toMatchObject({ used: 0, refused: 0, backSeconds: undefined });
  });
});
