import { randomBytes } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from './statement.ts';

const findStatement = statement<{ value: Buffer }>(
  'find-instance-secret',
  'SELECT value FROM instance_secrets WHERE name = $1',
);

const makeStatement = statement<never>(
  'make-instance-secret',
  'INSERT INTO instance_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);

/** The secret of this name that all processes on the database share. Of several that make it at once, one wins for all. */
export async function instanceSecret(db: Queryable, name: string): Promise<Buffer> {
  const find = async () => (await run(db, findStatement, [name]))[0]?.value;
  const found = await find();
  if (found) return found;
  await run(db, makeStatement, [name, randomBytes(32)]);
  const made = await find();
  if (!made) throw new HoldfastError('internal_error', `there is no secret ${name}`);
  return made;
}
