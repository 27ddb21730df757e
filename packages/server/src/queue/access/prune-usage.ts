import { type Queryable, run, statement } from '../../base/database/statement.ts';

const pruneUsageStatement = statement<never>(
  'prune-key-usage',
  `DELETE FROM key_usage WHERE window_start < now() - interval '2 days'
     OR quota = 'requests_per_minute' AND window_start < now() - interval '10 minutes'`,
);

/** Forgets what was used up in windows that are over. */
export async function pruneUsage(db: Queryable): Promise<void> {
  await run(db, pruneUsageStatement);
}
