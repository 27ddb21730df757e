import type pg from 'pg';
import { inTransaction } from '../../base/database/statement.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import type { HeldJob, WriteOutcome } from '../../queue/jobs/held-job.ts';
import { lockIntake } from '../intakes/find-intake.ts';
import type { Listing } from '../points/listing.ts';
import { pricePoint } from '../points/price-point.ts';
import { type StoredPoints, storePoints } from '../points/store-points.ts';
import { valueIntake } from '../valuations/value-intake.ts';

export interface Collection {
  readonly job: HeldJob;
  readonly intakeId: string;
  readonly owner: string;
  readonly sourceId: string;
  readonly listings: readonly Listing[];
  readonly observedAt: Date;
}

/**
 * The end of the run, what it brought and what that makes of the valuation, together or not at all: a collector that lost
 * its lease stores nothing, and no crash leaves a valuation behind its points. Repeated after a lost answer, it finds its job
 * completed under its fence and its points there, each as strong as it is given.
 */
export function storeCollection(
  pool: pg.Pool,
  { job, intakeId, owner, sourceId, listings, observedAt }: Collection,
  actor: string,
): Promise<{ outcome: WriteOutcome; stored?: StoredPoints }> {
  return inTransaction(pool, async (db) => {
    // First, as deleteIntake does: intake, then jobs.
    const intake = await lockIntake(db, intakeId, owner);
    const outcome = (await completeJobs(db, [job], actor)).get(job) ?? 'lost';
    if (outcome !== 'completed') return { outcome };
    const points = listings.map((listing) => pricePoint(intake, listing, observedAt));
    const stored = await storePoints(db, { intakeId, sourceId, jobId: job.id, actor, observedAt }, points);
    if (stored.added + stored.strengthened > 0) await valueIntake(db, intake);
    return { outcome, stored };
  });
}
