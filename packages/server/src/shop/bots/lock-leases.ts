import { type Queryable, run, statement } from '../../base/database/statement.ts';
import {
  type AskedLease,
  askedColumns,
  askedValues,
  foundJobs,
  type LeaseVerdict,
  verdict,
} from './bot-leases.ts';

export interface LockedLease {
  readonly verdict: LeaseVerdict;
  readonly fence: number;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly policy_id: string | null;
  /** For the result, if it brings one. */
  readonly result_id: string;
}

export const lockLeasesStatement = statement<LockedLease>(
  'lock-leases',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM ${askedColumns}
),
found AS MATERIALIZED (${foundJobs}
)
SELECT ${verdict} AS verdict, found.fence, found.retry_count, found.max_retries, found.policy_id, uuid_v7() AS result_id
FROM asked LEFT JOIN found USING (position) LEFT JOIN bots bot ON bot.user_id = asked.user_id AND bot.bot_id = asked.bot_id
ORDER BY position`,
);

/** Locks the jobs of these leases until the transaction ends, and says of each, in their order, whether it is held. */
export function lockLeases(db: Queryable, leases: readonly AskedLease[]): Promise<LockedLease[]> {
  return run(db, lockLeasesStatement, askedValues(leases));
}
