import { randomBytes } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from './statement.ts';

const findStatement = statement<{ value: Buffer }>(
  'find-instance-secret',
  'SELECT value FROM instance_secrets WHERE name = $1',
);

const createStatement = statement<never>(
  'create-instance-secret',
  'INSERT INTO instance_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);

/** The secret that all processes on this database share under this name. It is created by the first that asks. */
export async function instanceSecret(db: Queryable, name: string): Promise<Buffer> {
  const find = async () => (await run(db, findStatement, [name]))[0]?.value;
  const found = await find();
  if (found) return found;
  await run(db, createStatement, [name, randomBytes(32)]);
  const created = await find();
  if (!created) throw new HoldfastError('internal_error', `there is no secret ${name}`);
  return created;
}
