import { type Queryable, run } from '../../../base/database/statement.ts';
import { crawlInvariants } from './crawl-invariants.ts';
import type { Invariant, Violation } from './invariant.ts';
import { jobInvariants } from './job-invariants.ts';

export const invariants: readonly Invariant[] = [...crawlInvariants, ...jobInvariants].sort(
  (a, b) => a.number - b.number,
);

export interface FoundViolation extends Violation {
  readonly invariant: Invariant;
}

/** What is not as it must be among these jobs. Reads only. */
export async function findViolations(
  db: Queryable,
  jobIds: readonly string[],
  /** Beyond its end, a lease may wait so long for the watchdog. */
  overdueSeconds: number,
  wanted: readonly Invariant[] = invariants,
): Promise<FoundViolation[]> {
  const found: FoundViolation[] = [];
  for (const invariant of wanted) {
    const rows = await run(db, invariant.statement, [jobIds, overdueSeconds]);
    found.push(...rows.map((row) => ({ ...row, invariant })));
  }
  return found;
}
