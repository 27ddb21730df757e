import { type Intake, type IntakeChange, intakeChange, intakeRequest } from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { rematchPoints } from '../points/rematch-points.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { intakeExists } from './create-intake.ts';
import { intakeColumns, lockIntake } from './find-intake.ts';

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

/** Changes the named fields. Its price points are matched anew, and it is valued anew, in the same transaction. */
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
      if (!updated) throw new Error('the intake is locked, and gone all the same');
      await rematchPoints(db, updated);
      await valueIntake(db, updated);
      return updated;
    } catch (error) {
      if ((error as { code?: string }).code !== '23505') throw error;
      throw await intakeExists(pool, user_id, whole.reference ?? '');
    }
  });
}
