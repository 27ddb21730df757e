import type { ApiKey } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { QuotaExceeded } from './quota-exceeded.ts';
import { secondsLeft } from './seconds-left.ts';

/** One statement decides and counts: however many requests come at once, the row lets through as many as the limit. */
const countRequestStatement = statement<{ used: number }>(
  'count-request',
  `
INSERT INTO key_usage (key_id, quota, window_start, used)
VALUES ($1, 'requests_per_minute', date_trunc('minute', now(), 'UTC'), 1)
ON CONFLICT (key_id, quota, window_start) DO UPDATE SET used = key_usage.used + 1 WHERE key_usage.used < $2
RETURNING used`,
);

/** Counts a request against the key's quota, if it has one; refused ones are not counted. */
export async function countRequest(db: Queryable, key: ApiKey): Promise<void> {
  const { id, max_requests_per_minute: limit } = key;
  if (limit === null) return;
  const counted = await run(db, countRequestStatement, [id, limit]);
  if (counted.length > 0) return;
  throw new QuotaExceeded(`${limit} requests a minute`, await secondsLeft(db, 'minute'));
}
