import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** What is known of an origin's robots.txt. */
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

/** The rules of those origins whose entry has not expired. */
export function loadRobots(
  db: Queryable,
  origins: readonly string[],
): Promise<(CachedRobots & { readonly origin: string })[]> {
  return run(db, loadStatement, [origins]);
}
