import { allowedActions, type Job, type JobAction } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { hasPagesToRetry } from '../../crawl/frontier/has-pages-to-retry.ts';
import { isEarly } from '../../queue/jobs/is-early.ts';

/** What a user can do to this job now. Its status may allow retryUrls while no page of it can be tried again. */
export async function actionsNow(
  db: Queryable,
  job: Pick<Job, 'id' | 'status' | 'requested_action' | 'kind' | 'run_at' | 'next_retry_at'>,
): Promise<JobAction[]> {
  const { id, status, requested_action, kind } = job;
  const actions = allowedActions(status, requested_action, kind, isEarly(job));
  if (!actions.includes('retryUrls') || (await hasPagesToRetry(db, id))) return actions;
  return actions.filter((action) => action !== 'retryUrls');
}
