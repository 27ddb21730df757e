import type { ApiKey } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** What the policies of an owner may come to. */
export interface Promised {
  readonly enabled: number;
  /** Jobs that are still live though their policy was disabled or deleted since: it makes room only when they end. */
  readonly left_behind: number;
  /** The jobs that the enabled ones make a day while nothing fails. Every one that is made or enabled makes it larger. */
  readonly per_day: number;
}

/* The enabled ones are looked up one by one, by their key: with old statistics a join would read all policies there are. */
export const promisedStatement = statement<Promised>(
  'promised-by-policies',
  `
SELECT count(*) AS enabled, coalesce(sum(24 / frequency_hours), 0)::float8 AS per_day, (
    SELECT count(*) FROM crawl_jobs job
    WHERE job.user_id = $1 AND job.dedupe_key LIKE 'policy:%'
      AND job.status IN ('pending', 'processing', 'retryable', 'paused')
      AND (SELECT enabled FROM crawl_policies policy WHERE policy.id = job.policy_id) IS NOT TRUE
  ) AS left_behind
FROM crawl_policies WHERE user_id = $1 AND enabled`,
);

const lockStatement = statement<never>(
  'lock-promise',
  `SELECT FROM pg_advisory_xact_lock(hashtextextended('promised by policies of ' || $1, 0))`,
);

/**
 * Until the transaction ends nobody with a quota makes, changes or deletes policies of this owner: what is promised then and
 * later differs by what the transaction itself did, whichever key the others use.
 */
export async function lockPromise(db: Queryable, { user_id }: ApiKey): Promise<Promised> {
  await run(db, lockStatement, [user_id]);
  return promisedBy(db, user_id);
}

export async function promisedBy(db: Queryable, owner: string): Promise<Promised> {
  const [row] = await run(db, promisedStatement, [owner]);
  return row ?? { enabled: 0, left_behind: 0, per_day: 0 };
}
