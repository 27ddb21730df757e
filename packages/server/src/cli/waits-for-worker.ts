import type { Job } from '@holdfast/contract';
import type { Queryable } from '../database/statement.ts';
import { hasLiveWorker } from '../supervisor/has-live-worker.ts';

export const noWorkerText = 'no worker is running; start one: holdfast worker or holdfast up';

/** Whether a job waits for a worker where none is alive. Those of bots wait for bots. */
export async function waitsForWorker(
  db: Queryable,
  configuration: { readonly heartbeatSeconds: number },
  { status, executor }: Job,
): Promise<boolean> {
  if (executor === 'bot' || (status !== 'pending' && status !== 'retryable')) return false;
  return !(await hasLiveWorker(db, configuration));
}
