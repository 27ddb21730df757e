import { type Queryable, run, statement } from '../../base/database/statement.ts';

export interface FetchedRobots {
  readonly origin: string;
  readonly outcome: string;
  /** Anything that JSON can hold. */
  readonly rules: unknown;
  readonly ttlSeconds: number;
}

const storeStatement = statement<{ origin: string }>(
  'store-robots',
  `
INSERT INTO robots_cache AS cached (origin, outcome, rules, fetched_at, expires_at)
VALUES ($1, $2, $3::jsonb, now(), now() + make_interval(secs => $4::float8))
ON CONFLICT (origin) DO UPDATE SET outcome = excluded.outcome, rules = excluded.rules,
  fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
WHERE cached.fetched_at <= excluded.fetched_at
RETURNING origin`,
);

/** Keeps what an origin's robots.txt said for all workers. */
export async function storeRobots(db: Queryable, robots: FetchedRobots): Promise<void> {
  const { origin, outcome, rules, ttlSeconds } = robots;
  await run(db, storeStatement, [origin, outcome, JSON.stringify(rules), ttlSeconds]);
}
