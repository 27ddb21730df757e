import { HoldfastError, type Intake } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';

/** The columns of an Intake, to be read from the alias `intake`. */
export const intakeColumns = `intake.id, intake.user_id, intake.reference, intake.title, intake.attributes,
  intake.must_agree, intake.currency, intake.tags, intake.created_at, intake.updated_at`;

const findStatement = statement<Intake>(
  'find-intake',
  `SELECT ${intakeColumns} FROM intakes intake WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)`,
);

const lockStatement = statement<Intake>(
  'lock-intake',
  `SELECT ${intakeColumns} FROM intakes intake WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
   FOR NO KEY UPDATE`,
);

const ofJobStatement = statement<Intake>(
  'intake-of-job',
  `SELECT ${intakeColumns} FROM crawl_jobs job
   JOIN intakes intake ON intake.id = job.intake_id AND intake.user_id = job.user_id WHERE job.id = $1`,
);

/** With an owner, others' intakes are not there. */
export async function findIntake(db: Queryable, id: string, owner?: string): Promise<Intake> {
  const [intake] = isId(id) ? await run(db, findStatement, [id, owner]) : [];
  if (!intake) throw notFound('intake_not_found', id);
  return intake;
}

/** What a collection is about. Of another owner's intake it learns nothing. */
export async function findIntakeOf(db: Queryable, { id, payload }: ClaimedJob): Promise<Intake> {
  const [intake] = await run(db, ofJobStatement, [id]);
  if (!intake) throw new HoldfastError('intake_not_found', String(payload.intake_id ?? ''));
  return intake;
}

/**
 * As findIntake, held until the transaction ends. Whoever changes what a valuation rests on holds its intake: two that do so at
 * once would each value what the other has not seen.
 */
export async function lockIntake(db: Queryable, id: string, owner?: string): Promise<Intake> {
  const [intake] = isId(id) ? await run(db, lockStatement, [id, owner]) : [];
  if (!intake) throw notFound('intake_not_found', id);
  return intake;
}
