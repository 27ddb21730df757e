import {
  HoldfastError,
  type Intake,
  type IntakeChange,
  type IntakeRequest,
  intakeChange,
  intakeRequest,
} from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { rematchPoints } from '../points/store-points.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { intakeColumns, lockIntake } from './find-intakes.ts';

const createStatement = statement<Intake>(
  'create-intake',
  `
INSERT INTO intakes AS intake (user_id, reference, title, attributes, must_agree, currency, tags)
SELECT $1, reference, title, attributes, must_agree, currency, tags
FROM jsonb_to_record($2::jsonb) AS given (reference text, title text, attributes jsonb, must_agree text[],
  currency text, tags text[])
ON CONFLICT (user_id, reference) DO NOTHING
RETURNING ${intakeColumns}`,
);

export async function createIntake(db: Queryable, owner: string, request: IntakeRequest): Promise<Intake> {
  const given = checked(intakeRequest, request);
  const [created] = await run(db, createStatement, [owner, JSON.stringify(given)]);
  if (created) return created;
  throw await intakeExists(db, owner, given.reference ?? '');
}

const twinStatement = statement<{ id: string }>(
  'find-intake-twin',
  'SELECT id FROM intakes WHERE user_id = $1 AND reference = $2',
);

async function intakeExists(db: Queryable, owner: string, reference: string): Promise<HoldfastError> {
  const [twin] = await run(db, twinStatement, [owner, reference]);
  return new HoldfastError('intake_exists', `${reference}${twin ? ` is intake ${twin.id}` : ''}`);
}

const updateStatement = statement<Intake>(
  'update-intake',
  `
UPDATE intakes intake SET reference = given.reference, title = given.title, attributes = given.attributes,
  must_agree = given.must_agree, currency = given.currency, tags = given.tags, updated_at = now()
FROM jsonb_to_record($2::jsonb) AS given (reference text, title text, attributes jsonb, must_agree text[], currency text,
  tags text[])
WHERE intake.id = $1
RETURNING ${intakeColumns}`,
);

/** Changes the named fields, matches its price points again and updates its valuation, in one transaction. */
export async function updateIntake(
  pool: pg.Pool,
  id: string,
  change: IntakeChange,
  owner?: string,
): Promise<Intake> {
  const fields = checked(intakeChange, change);
  return inTransaction(pool, async (db) => {
    const { title, attributes, must_agree, currency, tags, reference, user_id } = await lockIntake(
      db,
      id,
      owner,
    );
    const whole = checked(intakeRequest, {
      title,
      attributes,
      must_agree,
      currency,
      tags,
      reference,
      ...fields,
    });
    try {
      const [updated] = await run(db, updateStatement, [id, JSON.stringify(whole)]);
      if (!updated) throw new Error('a locked intake disappeared');
      await rematchPoints(db, updated);
      await valueIntake(db, updated);
      return updated;
    } catch (error) {
      if ((error as { code?: string }).code !== '23505') throw error;
      throw await intakeExists(pool, user_id, whole.reference ?? '');
    }
  });
}

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

/** Deletes an intake with its price points and valuations. Cancels its live collect jobs. */
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
