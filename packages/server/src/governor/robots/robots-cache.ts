import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** An entry of the cache that all workers share. */
export interface CachedRobots {
  readonly outcome: string;
  readonly rules: unknown;
  readonly expires_in_ms: number;
}

const loadStatement = statement<CachedRobots & { readonly origin: string }>(
  'load-robots',
  `
SELECT origin, outcome, rules, 1000 * extract(epoch FROM expires_at - clock_timestamp())::float8 AS expires_in_ms
FROM robots_cache
WHERE origin = ANY ($1) AND expires_at > clock_timestamp()`,
);

/** Returns the entries of these origins that have not expired. */
export function loadRobots(
  db: Queryable,
  origins: readonly string[],
): Promise<(CachedRobots & { readonly origin: string })[]> {
  return run(db, loadStatement, [origins]);
}

interface FetchedRobots {
  readonly origin: string;
  readonly outcome: string;
  /** Any JSON value. */
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

/** Stores the answer of an origin for all workers. */
export async function storeRobots(db: Queryable, robots: FetchedRobots): Promise<void> {
  const { origin, outcome, rules, ttlSeconds } = robots;
  await run(db, storeStatement, [origin, outcome, JSON.stringify(rules), ttlSeconds]);
}

interface RobotsCopy {
  readonly origin: string;
  readonly ttlSeconds: number;
  /** The maximum age of rules to fall back on. */
  readonly copyDays: number;
}

interface RobotsFailure extends RobotsCopy {
  /** What applies if there is no copy to fall back on. */
  readonly rules: unknown;
}

type HeldRobots = CachedRobots & { readonly copied_at: Date | null };

const failureStatement = statement<HeldRobots>(
  'store-robots-failure',
  `
INSERT INTO robots_cache AS cached (origin, outcome, rules, fetched_at, expires_at)
VALUES ($1, 'disallow_all', $2::jsonb, now(), now() + make_interval(secs => $3::float8))
ON CONFLICT (origin) DO UPDATE SET (outcome, rules, fetched_at, expires_at) = (
  SELECT kept.outcome, kept.rules, kept.fetched_at, greatest(kept.expires_at, excluded.expires_at)
  FROM (VALUES
    (cached.outcome, cached.rules, cached.fetched_at, cached.expires_at),
    (excluded.outcome, excluded.rules, excluded.fetched_at, excluded.expires_at)
  ) AS kept (outcome, rules, fetched_at, expires_at)
  -- The copy if there is one; another worker's fresh answer; otherwise the failure.
  WHERE kept.outcome = 'parse' AND kept.fetched_at > now() - make_interval(days => $4)
    OR kept.outcome <> 'disallow_all' AND kept.expires_at > now()
    OR kept.fetched_at = excluded.fetched_at
  ORDER BY kept.outcome <> 'disallow_all' DESC LIMIT 1)
RETURNING outcome, rules, 1000 * extract(epoch FROM expires_at - now())::float8 AS expires_in_ms,
  CASE WHEN outcome <> 'disallow_all' THEN fetched_at END AS copied_at`,
);

/**
 * Stores that robots.txt was unreachable. The last rules that were read stay in force until the next attempt; without any,
 * nothing may be fetched until then. Returns the entry that applies.
 */
export async function storeRobotsFailure(db: Queryable, failure: RobotsFailure): Promise<HeldRobots> {
  const { origin, rules, ttlSeconds, copyDays } = failure;
  const [holds] = await run(db, failureStatement, [origin, JSON.stringify(rules), ttlSeconds, copyDays]);
  if (!holds) throw new Error(`no robots.txt entry for ${origin}`);
  return holds;
}

const copyStatement = statement<HeldRobots>(
  'keep-robots-copy',
  `
UPDATE robots_cache SET expires_at = greatest(expires_at, now() + make_interval(secs => $2::float8))
WHERE origin = $1 AND (outcome = 'parse' AND fetched_at > now() - make_interval(days => $3)
  OR outcome <> 'disallow_all' AND expires_at > now())
RETURNING outcome, rules, 1000 * extract(epoch FROM expires_at - now())::float8 AS expires_in_ms, fetched_at AS copied_at`,
);

/** The same for a failure that may be local to this worker, and is not stored for the others. Returns the copy, if there is one. */
export async function keepRobotsCopy(db: Queryable, copy: RobotsCopy): Promise<HeldRobots | undefined> {
  const [holds] = await run(db, copyStatement, [copy.origin, copy.ttlSeconds, copy.copyDays]);
  return holds;
}
