import { type Queryable, run, statement } from '../database/statement.ts';

/** What is known of an origin's robots.txt. */
export interface CachedRobots {
  readonly origin: string;
  readonly fetched_at: Date;
  readonly expires_at: Date;
  readonly outcome: string;
  readonly rules: unknown;
}

const loadStatement = statement<CachedRobots>(
  'load-robots',
  `
SELECT origin, fetched_at, expires_at, outcome, rules FROM robots_cache
WHERE origin = ANY ($1) AND expires_at > clock_timestamp()`,
);

/** The rules of those origins whose entry has not expired. */
export function loadRobots(db: Queryable, origins: readonly string[]): Promise<CachedRobots[]> {
  return run(db, loadStatement, [origins]);
}
