import type { Intake } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { intakeColumns, lockIntake } from './find-intake.ts';

const liveJobsStatement = statement<{ id: string }>(
  'live-jobs-of-intake',
  `
SELECT id FROM crawl_jobs
WHERE kind = 'collect' AND user_id = $1 AND intake_id = $2
  AND status IN ('pending', 'processing', 'retryable', 'paused')`,
);

const deleteStatement = statement<Intake>(
  'delete-intake',
  `DELETE FROM intakes intake WHERE id = $1 RETURNING ${intakeColumns}`,
);

/** With its price points, its valuation and their history; jobs that would ask for it are cancelled. */
export async function deleteIntake(
  pool: pg.Pool,
  id: string,
  actor: string,
  owner?: string,
): Promise<Intake> {
  return inTransaction(pool, async (db) => {
    const intake = await lockIntake(db, id, owner);
    const live = await run(db, liveJobsStatement, [intake.user_id, id]);
    if (live.length > 0)
      await cancelJobs(
        db,
        live.map((job) => job.id),
        actor,
        'its intake was deleted',
      );
    await run(db, deleteStatement, [id]);
    return intake;
  });
}
