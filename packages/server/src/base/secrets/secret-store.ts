import { randomUUID } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { keyMissing, seal, unseal } from './seal.ts';
import type { SecretKey, SecretKeys } from './secret-keys.ts';

const insertStatement = statement<never>(
  'insert-secret',
  'INSERT INTO secrets (id, key_id, sealed) VALUES ($1, $2, $3)',
);
const updateStatement = statement<{ id: string }>(
  'update-secret',
  'UPDATE secrets SET key_id = $2, sealed = $3 WHERE id = $1 RETURNING id',
);
const readStatement = statement<{ sealed: Buffer }>(
  'read-secret',
  'SELECT sealed FROM secrets WHERE id = $1',
);
const removeStatement = statement<never>('remove-secret', 'DELETE FROM secrets WHERE id = $1');
const keysStatement = statement<{ key_id: string }>('keys-of-secrets', 'SELECT DISTINCT key_id FROM secrets');

/**
 * Stores secret values in the database, encrypted with a key that is not in it. Rows refer to a secret by its id and
 * decide who may use it. A value is any JSON.
 */
export class SecretStore {
  readonly keys: SecretKeys;

  constructor(keys: SecretKeys) {
    this.keys = keys;
  }

  /** Resolves with the id of the new secret. */
  async put(db: Queryable, value: unknown): Promise<string> {
    const id = randomUUID();
    const key = await this.sealingKey(db);
    await run(db, insertStatement, [id, key.id, seal(key, JSON.stringify(value), id)]);
    return id;
  }

  /** Replaces the value of a secret. */
  async replace(db: Queryable, id: string, value: unknown): Promise<void> {
    const key = await this.sealingKey(db);
    const [replaced] = await run(db, updateStatement, [id, key.id, seal(key, JSON.stringify(value), id)]);
    if (!replaced) throw gone(id);
  }

  /** Throws `secret_key_missing` on a machine without the key. */
  async get<Value>(db: Queryable, id: string): Promise<Value> {
    const [found] = await run(db, readStatement, [id]);
    if (!found) throw gone(id);
    return JSON.parse(unseal(this.keys, found.sealed, id)) as Value;
  }

  async remove(db: Queryable, id: string): Promise<void> {
    await run(db, removeStatement, [id]);
  }

  /**
   * The key for new secrets. A key is created only if the database has no secrets: otherwise machines would have
   * different keys and could not read each other's secrets.
   */
  async sealingKey(db: Queryable): Promise<SecretKey> {
    const [first] = this.keys.all;
    const used = first ? [] : (await run(db, keysStatement)).map(({ key_id }) => key_id);
    if (used.length > 0) throw keyMissing(this.keys, used);
    return first ?? this.keys.make();
  }
}

function gone(id: string): HoldfastError {
  return new HoldfastError('secret_damaged', `there is no secret ${id}`);
}
