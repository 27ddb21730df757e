import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { processorTime } from '../../base/process/process-info.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { isHung } from './dispatch.ts';

const job = { lease_seconds: 10 } as ClaimedJob;
const runner = (msSinceTick: number, hadMs: number) => ({
  msSinceTick,
  isStarved: (lessThanMs: number) => hadMs < lessThanMs,
});

describe('a runner that gives no sign of life for a quarter of its lease', () => {
  test('hangs, if it had the processor meanwhile', () => {
    expect(isHung(runner(2_600, 1_300), job)).toBe(true);
    expect(isHung(runner(2_400, 1_300), job)).toBe(false);
  });

  test('does not, if the machine hardly let it run', () => {
    expect(isHung(runner(8_000, 1_200), job)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('the processor time of a process', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  test('grows while it computes, and is wanted no more when it is stopped', async () => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    ends.push(() => busy.kill('SIGKILL'));
    await vi.waitUntil(() => (processorTime(busy.pid)?.ms ?? 0) > 100, { timeout: 20_000 });
    expect(processorTime(busy.pid)).toMatchObject({ wantsMore: true });
    busy.kill('SIGSTOP');
    await vi.waitUntil(() => processorTime(busy.pid)?.wantsMore === false, { timeout: 20_000 });
  });

  test('is unknown of one that is not there', () => {
    expect(processorTime(undefined)).toBeUndefined();
  });
});
