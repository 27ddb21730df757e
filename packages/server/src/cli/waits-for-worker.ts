import type { Configuration, Job } from '@holdfast/contract';
import type { Queryable } from '../database/statement.ts';
import { listWorkers } from '../supervisor/list-workers.ts';

const none = 'no worker is running; start one: holdfast worker or holdfast up';

/** Why a job waits for a worker, if no live one takes any. Those of bots wait for bots. */
export async function waitsForWorker(
  db: Queryable,
  configuration: Pick<Configuration, 'heartbeatSeconds'>,
  { status, executor }: Job,
): Promise<string | undefined> {
  if (executor === 'bot' || (status !== 'pending' && status !== 'retryable')) return undefined;
  const workers = await listWorkers(db, configuration, { silent: false, limit: 1000 });
  if (workers.some(({ state, max_jobs }) => state === 'alive' && max_jobs > 0)) return undefined;
  const sick = workers.find(({ state }) => state === 'sick');
  return sick ? `worker ${sick.id} is sick and has stopped claiming jobs: ${sick.trouble}` : none;
}
