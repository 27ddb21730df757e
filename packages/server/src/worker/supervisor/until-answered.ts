import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

const againMs = 500;

/** Repeats while the database is away, until the lease is over: then the watchdog has the job. */
export async function untilAnswered(
  write: () => Promise<void>,
  leaseEnds: number,
  log: Logger,
): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      log.warn({ err: error }, 'The end of a run could not be recorded yet');
      if (performance.now() > leaseEnds) return;
      await delay(againMs);
    }
  }
}
