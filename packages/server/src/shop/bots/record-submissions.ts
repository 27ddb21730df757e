import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import type { RequestedLease } from './bot-leases.ts';

/** The result of a visit. Prices are decimal text and parsed data is JSON text, so that no number passes through a float. */
interface VisitResult {
  readonly price: string;
  readonly currency: string;
  readonly title: string | null;
  readonly inStock: boolean | null;
  readonly parsedData: string | null;
  /** Deflated. */
  readonly rawHtml: Buffer | null;
}

export interface Submission {
  readonly lease: RequestedLease;
  readonly outcome:
    | { readonly success: true; readonly result: VisitResult }
    | { readonly success: false; readonly error: string | null };
}

/** The answer to a submit, stored as JSON text so that a repetition gets the same. */
export interface SubmissionAnswer {
  readonly status: number;
  readonly data: string;
}

export interface RecordedSubmission {
  readonly submission: Submission;
  readonly held: HeldJob;
  readonly resultId: string;
  readonly answer: SubmissionAnswer;
}

/** Stores answers and counters of submissions. Locks the bots' rows in one order to avoid deadlocks. */
const recordStatement = statement<never>(
  'record-submissions',
  `
WITH made AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::smallint[], $7::json[])
    AS made (job_id, fence, user_id, bot_id, success, http_status, answer)
),
submission AS (
  INSERT INTO bot_submissions (job_id, fence, bot_id, http_status, answer)
  SELECT job_id, fence, bot_id, http_status, answer FROM made
),
tally AS MATERIALIZED (
  SELECT user_id, bot_id, count(*) FILTER (WHERE success) AS succeeded, count(*) FILTER (WHERE NOT success) AS failed
  FROM made GROUP BY user_id, bot_id
),
locked AS MATERIALIZED (
  SELECT bot.user_id, bot.bot_id, succeeded, failed FROM bots bot JOIN tally USING (user_id, bot_id)
  ORDER BY bot.user_id, bot.bot_id FOR NO KEY UPDATE OF bot
),
counted AS (
  UPDATE bots bot SET last_seen_at = now(),
    jobs_succeeded = bot.jobs_succeeded + locked.succeeded, jobs_failed = bot.jobs_failed + locked.failed
  FROM locked WHERE bot.user_id = locked.user_id AND bot.bot_id = locked.bot_id
  RETURNING bot.user_id, bot.bot_id, locked.succeeded, locked.failed
)
INSERT INTO bot_hours AS hour (user_id, bot_id, hour, jobs_succeeded, jobs_failed)
SELECT user_id, bot_id, date_trunc('hour', now()), succeeded, failed FROM counted ORDER BY user_id, bot_id
ON CONFLICT (user_id, bot_id, hour) DO UPDATE SET
  jobs_succeeded = hour.jobs_succeeded + excluded.jobs_succeeded, jobs_failed = hour.jobs_failed + excluded.jobs_failed`,
);

const storeStatement = statement<never>(
  'store-results',
  `
INSERT INTO crawl_results (id, job_id, policy_id, user_id, url, price, currency, title, in_stock, parsed_data, raw_html, actor)
SELECT brought.id, job.id, job.policy_id, job.user_id, job.payload ->> 'url', brought.price, brought.currency,
  brought.title, brought.in_stock, brought.parsed_data, brought.raw_html, brought.actor
FROM unnest($1::uuid[], $2::uuid[], $3::numeric[], $4::text[], $5::text[], $6::boolean[], $7::jsonb[], $8::bytea[], $9::text[])
  AS brought (id, job_id, price, currency, title, in_stock, parsed_data, raw_html, actor)
JOIN crawl_jobs job ON job.id = ANY ($2) AND job.id = brought.job_id`,
);

/** Stores results, answers and counters of submissions whose jobs this transaction has moved. */
export async function recordSubmissions(
  db: Queryable,
  recorded: readonly RecordedSubmission[],
): Promise<void> {
  const brought = recorded.flatMap(({ submission: { outcome, lease }, held, resultId }) =>
    outcome.success ? [{ ...outcome.result, id: resultId, jobId: held.id, botId: lease.botId }] : [],
  );
  if (brought.length > 0) {
    await run(db, storeStatement, [
      brought.map(({ id }) => id),
      brought.map(({ jobId }) => jobId),
      brought.map(({ price }) => price),
      brought.map(({ currency }) => currency),
      brought.map(({ title }) => title),
      brought.map(({ inStock }) => inStock),
      brought.map(({ parsedData }) => parsedData),
      brought.map(({ rawHtml }) => rawHtml),
      brought.map(({ botId }) => `bot:${botId}`),
    ]);
  }
  await run(db, recordStatement, [
    recorded.map(({ held }) => held.id),
    recorded.map(({ held }) => held.fence),
    recorded.map(({ submission }) => submission.lease.userId),
    recorded.map(({ submission }) => submission.lease.botId),
    recorded.map(({ submission }) => submission.outcome.success),
    recorded.map(({ answer }) => answer.status),
    recorded.map(({ answer }) => answer.data),
  ]);
}
