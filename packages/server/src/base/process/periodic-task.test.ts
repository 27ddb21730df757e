import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type PeriodicTask, runPeriodically } from './periodic-task.ts';

const log = pino({ level: 'silent' });
const never = 86_400;
const tasks: PeriodicTask[] = [];
afterEach(async () => {
  for (const task of tasks.splice(0)) await task.stop();
});

/** A task whose turns end when they are told to. */
function start(everySeconds: number) {
  const turns: { end(): void; fail(): void }[] = [];
  const task = runPeriodically('The task', everySeconds, log, (signal) => {
    return new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve());
      turns.push({ end: resolve, fail: () => reject(new Error('not this time')) });
    });
  });
  tasks.push(task);
  return { task, turns };
}
const afterNow = () => new Promise((resolve) => setImmediate(resolve));

describe('a regular task', () => {
  test('comes again and again, one turn at a time, also after one that failed', async () => {
    const { turns } = start(0.01);
    for (let count = 1; count <= 3; count++) {
      await vi.waitUntil(() => turns.length === count, { interval: 1 });
      await new Promise((resolve) => setTimeout(resolve, 30)); // time for a second one, if it were not one at a time
      expect(turns).toHaveLength(count);
      if (count === 2) turns[count - 1]?.fail();
      else turns[count - 1]?.end();
    }
  });

  test('takes a turn at once when asked to', () => {
    const { task, turns } = start(never);
    expect(turns).toHaveLength(0);
    task.soon();
    expect(turns).toHaveLength(1);
  });

  test('takes one more turn after that under way, however often it was asked meanwhile', async () => {
    const { task, turns } = start(never);
    task.soon();
    for (let times = 0; times < 3; times++) task.soon();
    expect(turns).toHaveLength(1);
    turns[0]?.end();
    await vi.waitUntil(() => turns.length === 2, { interval: 1 });
    turns[1]?.end();
    await afterNow();
    expect(turns).toHaveLength(2);
  });

  test('takes no turn any more once it was stopped, and waits for that under way', async () => {
    const { task, turns } = start(never);
    task.soon();
    task.soon();
    await task.stop();
    task.soon();
    await afterNow();
    expect(turns).toHaveLength(1);
  });
});
