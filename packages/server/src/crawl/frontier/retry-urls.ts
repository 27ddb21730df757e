import { allowedActions, foundByDiscovery, HoldfastError, type Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { listErrors } from '../../pages/stored/list-errors.ts';
import { jobColumns, liveJobConflict, showJob } from '../../queue/jobs/find-jobs.ts';
import { returnedPages } from './return-pages.ts';

/** Returns the pages to the frontier and makes the finished crawl ready again, in one statement. */
export const retryUrlsStatement = statement<Job>(
  'retry-urls',
  `
WITH job AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = $1 AND kind = 'crawl' AND status IN ('completed', 'failed', 'cancelled')
    AND NOT EXISTS (
      SELECT FROM crawl_jobs other
      WHERE other.user_id = crawl_jobs.user_id AND other.dedupe_key = crawl_jobs.dedupe_key
        AND other.status IN ('pending', 'processing', 'retryable', 'paused'))
  FOR UPDATE
),
${returnedPages()},
changed AS (
  UPDATE crawl_jobs SET
    status = 'pending', progress_percentage = least(crawl_jobs.progress_percentage, 99), retry_count = 0, failed_starts = 0, run_at = NULL, completed_at = NULL, worker_id = NULL, requested_action = NULL,
    error_code = NULL, error_message = NULL, event_count = event_count + 1
  FROM job WHERE crawl_jobs.id = job.id AND EXISTS (SELECT FROM chosen)
  RETURNING crawl_jobs.*, job.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'retryUrls', from_status, status, fence, $4, (
    SELECT count(*) || CASE count(*) WHEN 1 THEN ' URL' ELSE ' URLs' END FROM chosen)
  FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

export interface PageChoice {
  readonly hashes?: readonly string[];
  /** Error codes of failed pages, reasons of skipped ones. */
  readonly reasons?: readonly string[];
}

/** Retries failed and skipped pages of a finished crawl: all of them, or those named by hash or by reason. */
export async function retryUrls(
  db: Queryable,
  jobId: string,
  { hashes, reasons }: PageChoice = {},
  actor = 'user:local',
): Promise<Job> {
  const job = await showJob(db, jobId);
  const [changed] = await run(db, retryUrlsStatement, [jobId, hashes, reasons, actor]);
  if (changed) return changed;
  throw await whyNot(db, job);
}

async function whyNot(db: Queryable, { id, kind, status, requested_action }: Job): Promise<HoldfastError> {
  if (!allowedActions(status, requested_action, kind).includes('retryUrls'))
    return new HoldfastError(
      'action_not_allowed',
      `retryUrls of job ${id}, which is a ${kind} and ${status}`,
      {
        hint: 'Only pages of a completed, failed or cancelled crawl can be retried.',
      },
    );
  const overtaken = await liveJobConflict(db, id);
  if (overtaken) return overtaken;
  const { data } = await listErrors(db, id);
  const reasons = data.map(({ reason }) => reason).filter((reason) => !foundByDiscovery.includes(reason));
  return new HoldfastError('nothing_to_retry', `job ${id}`, {
    hint:
      reasons.length > 0
        ? `Choose by one of these reasons: ${reasons.join(', ')}.`
        : 'It has no failed or skipped pages that can be retried.',
  });
}
