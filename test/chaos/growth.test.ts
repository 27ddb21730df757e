import { describe, expect, test } from 'vitest';
import { Random } from '../../chaos/src/random.ts';
import { judgeGrowth, type Point } from '../../chaos/src/soak/growth.ts';

const bound = { percent: 10, least: 8 };
const span = { from: 0, to: 20 };

/** Twenty minutes, a value every five seconds, as restless as a real process. */
function measured(valueAt: (minute: number) => number): Point[] {
  // Of its own, so that what a test measures does not depend on those before it.
  const random = new Random(1, 'growth');
  return Array.from({ length: 240 }, (_, n) => ({
    at: n / 12,
    value: valueAt(n / 12) * (0.9 + 0.2 * random.next()),
  }));
}

describe('the rule of no growth', () => {
  test('what warms up and then stays is no growth', () => {
    expect(
      judgeGrowth(
        measured((minute) => Math.min(100, 40 + 12 * minute)),
        bound,
        span,
      ).grows,
    ).toBe(false);
  });

  test('what goes up and down is no growth', () => {
    expect(
      judgeGrowth(
        measured((minute) => 100 + 30 * Math.sin(minute * 3)),
        bound,
        span,
      ).grows,
    ).toBe(false);
  });

  test('a leak of two percent a minute is, however restless', () => {
    const { grows, percent } = judgeGrowth(
      measured((minute) => 100 + 2 * minute),
      bound,
      span,
    );
    expect(grows).toBe(true);
    expect(percent).toBeGreaterThan(10);
  });

  test('one wild moment at the end is no growth', () => {
    const points = measured(() => 100).map((point) => (point.at > 19 ? { ...point, value: 900 } : point));
    expect(judgeGrowth(points, bound, span).grows).toBe(false);
  });

  test('what was not measured, or not to the end, is not known to stay', () => {
    expect(judgeGrowth([], bound, span).isUnknown).toBe(true);
    const early = measured(() => 100).filter(({ at }) => at < 10);
    expect(judgeGrowth(early, bound, span).isUnknown).toBe(true);
    expect(
      judgeGrowth(
        measured(() => 100),
        bound,
        span,
      ).isUnknown,
    ).toBe(false);
  });

  test('less than the least amount is noise', () => {
    expect(
      judgeGrowth(
        measured((minute) => 1 + 0.2 * minute),
        bound,
        span,
      ).grows,
    ).toBe(false);
  });
});
