import type { Statement } from '../../../base/database/statement.ts';

/** What one job has that it must not have. */
export interface Violation {
  readonly job_id: string;
  readonly found: string;
}

/**
 * Something that is true of every job at any moment, whatever was killed, as SQL that finds the jobs of which it is not.
 * Each is one statement, and so sees one moment: a checkpoint under way is in it whole or not at all.
 */
export interface Invariant {
  /** As docs/reliability.md numbers them; 6 and 9 are about requests, which only the origin's own log can tell. */
  readonly number: 1 | 2 | 3 | 4 | 5 | 7 | 8;
  readonly promise: string;
  /** `$1`: the jobs to look at; `$2`: seconds that a lease may be over before somebody must have noticed. */
  readonly statement: Statement<Violation>;
  readonly advice: string;
}
