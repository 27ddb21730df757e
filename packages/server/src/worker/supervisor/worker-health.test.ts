import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkerHealth } from './worker-health.ts';

let now = 0;
let onChange: ReturnType<typeof vi.fn<() => void>>;
let health: WorkerHealth;
beforeEach(() => {
  vi.useFakeTimers();
  now = 1_000;
  onChange = vi.fn();
  health = new WorkerHealth({ log: pino({ level: 'silent' }), onChange, now: () => now });
});
afterEach(() => {
  health.close();
  vi.useRealTimers();
});

function pass(ms: number): void {
  now += ms;
  vi.advanceTimersByTime(ms);
}
/** A runner is started, and dies. Gives back for how long nothing is claimed then. */
function failedStart(): number {
  health.startFailed(now, 'exit code 1');
  const began = now;
  while (health.allows(8, 0) === 0) pass(1_000);
  return now - began;
}

describe('a worker', () => {
  test('that is well claims as many jobs as there is room for', () => {
    expect([health.allows(8, 3), health.trouble]).toEqual([8, undefined]);
  });

  test('was well until the first of the runners that died, whatever died with it', () => {
    expect(health.wasWell(now)).toBe(true);
    health.startFailed(now, 'x');
    health.startFailed(now + 1, 'x');
    expect([health.wasWell(now), health.wasWell(now + 1)]).toEqual([true, false]);
    health.startWorked();
    expect(health.wasWell(now + 2)).toBe(true);
  });

  test('claims nothing after a failed start, for longer each time, and then one job at a time', () => {
    expect([1, 2, 3, 4].map(failedStart)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect([health.allows(8, 0), health.allows(0, 0), health.allows(8, 1)]).toEqual([1, 0, 0]);
    for (let n = 0; n < 10; n++) failedStart();
    expect(failedStart()).toBe(300_000);
  });

  test('says why it has stopped claiming after a few failed starts in a row', () => {
    failedStart();
    failedStart();
    expect(health.trouble).toBeUndefined();
    failedStart();
    expect(health.trouble).toBe('3 runners in a row died before their first request; the last: exit code 1');
  });

  test('counts runners that were started together once', () => {
    for (let n = 0; n < 5; n++) health.startFailed(900, 'exit code 1');
    pass(1_000);
    expect([health.allows(8, 0), health.trouble]).toEqual([1, undefined]);
  });

  test('looks for jobs when its wait is over', () => {
    health.startFailed(now, 'exit code 1');
    onChange.mockClear();
    pass(1_000);
    expect(onChange).toHaveBeenCalledOnce();
  });

  test('is well again after one start that works, and begins anew', () => {
    for (let n = 0; n < 4; n++) failedStart();
    health.startWorked();
    expect([health.allows(8, 3), health.trouble]).toEqual([8, undefined]);
    expect(failedStart()).toBe(1_000);
  });
});
