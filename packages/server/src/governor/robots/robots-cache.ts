import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { CachedRobots } from './load-robots.ts';

export interface RobotsCopy {
  readonly origin: string;
  readonly ttlSeconds: number;
  /** Rules that were read longer ago are no longer a copy to fall back on. */
  readonly copyDays: number;
}

export interface RobotsFailure extends RobotsCopy {
  /** What holds without a copy to fall back on. */
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
  -- The copy, if it is one; somebody else's answer, if it has just come; else the failure.
  WHERE kept.outcome = 'parse' AND kept.fetched_at > now() - make_interval(days => $4)
    OR kept.outcome <> 'disallow_all' AND kept.expires_at > now()
    OR kept.fetched_at = excluded.fetched_at
  ORDER BY kept.outcome <> 'disallow_all' DESC LIMIT 1)
RETURNING outcome, rules, 1000 * extract(epoch FROM expires_at - now())::float8 AS expires_in_ms,
  CASE WHEN outcome <> 'disallow_all' THEN fetched_at END AS copied_at`,
);

/**
 * robots.txt could not be had. The rules that were read last hold on, and it is asked for again as soon as after any
 * failure; without them nothing may be fetched until then. Returns what holds.
 */
export async function storeRobotsFailure(db: Queryable, failure: RobotsFailure): Promise<HeldRobots> {
  const { origin, rules, ttlSeconds, copyDays } = failure;
  const [holds] = await run(db, failureStatement, [origin, JSON.stringify(rules), ttlSeconds, copyDays]);
  if (!holds) throw new Error(`nothing holds for ${origin}`);
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

/** The same where the failure may be this worker's own: other workers do not get to know it. Returns the copy, if there is one. */
export async function keepRobotsCopy(db: Queryable, copy: RobotsCopy): Promise<HeldRobots | undefined> {
  const [holds] = await run(db, copyStatement, [copy.origin, copy.ttlSeconds, copy.copyDays]);
  return holds;
}
