import { HoldfastError, type Intake, type IntakeRequest, intakeRequest } from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { intakeColumns } from './find-intake.ts';

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

const twinStatement = statement<{ id: string }>(
  'find-intake-twin',
  'SELECT id FROM intakes WHERE user_id = $1 AND reference = $2',
);

export async function createIntake(db: Queryable, owner: string, request: IntakeRequest): Promise<Intake> {
  const given = checked(intakeRequest, request);
  const [created] = await run(db, createStatement, [owner, JSON.stringify(given)]);
  if (created) return created;
  throw await intakeExists(db, owner, given.reference ?? '');
}

export async function intakeExists(db: Queryable, owner: string, reference: string): Promise<HoldfastError> {
  const [twin] = await run(db, twinStatement, [owner, reference]);
  return new HoldfastError('intake_exists', `${reference}${twin ? ` is intake ${twin.id}` : ''}`);
}
