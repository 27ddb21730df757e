import { until } from '../until.ts';
import { isAlive } from './process-table.ts';

/**
 * Resolves when a process that was killed is dead. One that is inside a system call ends that first: on a busy machine its last
 * request may leave well after the signal.
 */
export function untilDead(pid: number): Promise<void> {
  return until(`the end of process ${pid}`, () => !isAlive(pid), { everyMs: 1 });
}
