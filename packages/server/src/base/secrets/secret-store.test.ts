import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@holdfast/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { newKey, SecretKeys } from './secret-keys.ts';
import { SecretStore } from './secret-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('DELETE FROM secrets');
});

const newFolder = () => mkdtempSync(join(tmpdir(), 'secrets-'));
const storeOf = (dataFolder: string, secretKey: readonly string[] = []) =>
  new SecretStore(new SecretKeys({ dataFolder, secretKey: [...secretKey] }));
const base64 = () => newKey().key.toString('base64');
const secret = 'planted-7f3a';

describe('a stored secret', () => {
  test('is not readable in the database, and comes back with the key of the data folder', async () => {
    const folder = newFolder();
    const id = await storeOf(folder).put(database.pool, { password: secret });
    const { rows } = await database.pool.query(
      `SELECT encode(sealed, 'escape') AS text, s::text AS row FROM secrets s`,
    );
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(await storeOf(folder).get(database.pool, id)).toEqual({ password: secret });
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  test('opens on another machine with the same HOLDFAST_SECRET_KEY', async () => {
    const key = base64();
    const id = await storeOf(newFolder(), [key]).put(database.pool, secret);
    expect(await storeOf(newFolder(), [key]).get(database.pool, id)).toBe(secret);
  });

  test('cannot be opened without its key, nor does that machine make a key of its own', async () => {
    const id = await storeOf(newFolder()).put(database.pool, secret);
    const other = newFolder();
    await expect(storeOf(other).get(database.pool, id)).rejects.toMatchObject({ code: 'secret_key_missing' });
    await expect(storeOf(other).put(database.pool, 'x')).rejects.toMatchObject({
      code: 'secret_key_missing',
    });
    expect(() => statSync(join(other, 'secret.key'))).toThrow('ENOENT');
  });

  test('cannot be moved to another row, or changed', async () => {
    const store = storeOf(newFolder());
    const [own, others] = [await store.put(database.pool, 'mine'), await store.put(database.pool, secret)];
    await database.pool.query(
      'UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE id = $2) WHERE id = $1',
      [own, others],
    );
    await expect(store.get(database.pool, own)).rejects.toMatchObject({ code: 'secret_damaged' });
    await database.pool.query(
      'UPDATE secrets SET sealed = set_byte(sealed, length(sealed) - 1, 0) WHERE id = $1',
      [others],
    );
    await expect(store.get(database.pool, others)).rejects.toMatchObject({ code: 'secret_damaged' });
  });

  test('is replaced in place, and gone when it is removed', async () => {
    const store = storeOf(newFolder());
    const id = await store.put(database.pool, 'old');
    await store.replace(database.pool, id, 'new');
    expect(await store.get(database.pool, id)).toBe('new');
    await store.remove(database.pool, id);
    await expect(store.get(database.pool, id)).rejects.toMatchObject({ code: 'secret_damaged' });
  });
});

describe('the keys', () => {
  test('a new first key seals, and the older ones still open', async () => {
    const [before, now] = [base64(), base64()];
    const folder = newFolder();
    const old = await storeOf(folder, [before]).put(database.pool, secret);
    const both = storeOf(folder, [now, before]);
    const fresh = await both.put(database.pool, 'fresh');
    expect(await both.get(database.pool, old)).toBe(secret);
    expect(await storeOf(folder, [now]).get(database.pool, fresh)).toBe('fresh');
    await expect(storeOf(folder, [now]).get(database.pool, old)).rejects.toThrow(
      /does not have the secret key/,
    );
  });

  test('a change of the file is seen without a restart', async () => {
    const folder = newFolder();
    const running = storeOf(folder);
    const id = await running.put(database.pool, secret);
    const rotated = new SecretKeys({ dataFolder: folder, secretKey: [] });
    const next = newKey();
    rotated.replace([next, ...rotated.all]);
    expect(running.keys.all[0]?.id).toBe(next.id);
    expect(await running.get(database.pool, id)).toBe(secret);
  });

  test('processes that make one at the same time have the same', async () => {
    const folder = newFolder();
    const made = await Promise.all(
      Array.from({ length: 8 }, async () => new SecretKeys({ dataFolder: folder, secretKey: [] }).make().id),
    );
    expect(new Set(made).size).toBe(1);
    expect(readFileSync(join(folder, 'secret.key'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  test('one that is no key is refused without being shown', () => {
    const shown = () => readConfiguration({ HOLDFAST_SECRET_KEY: `${base64()},hunter2` });
    expect(shown).toThrow(/HOLDFAST_SECRET_KEY must be 32 random bytes in base64/);
    expect(shown).not.toThrow(/hunter2/);
    const folder = newFolder();
    writeFileSync(join(folder, 'secret.key'), 'hunter2\n');
    const read = () => new SecretKeys({ dataFolder: folder, secretKey: [] }).all;
    expect(read).toThrow(/secret.key cannot be used/);
    expect(read).not.toThrow(/hunter2/);
  });
});
