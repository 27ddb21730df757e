import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { seal, unseal } from '../../base/secrets/seal.ts';
import { newKey, SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { rotateSecrets, secretKeyUses } from './rotate-secrets.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE secrets, crawl_cookies CASCADE'));

const keysOf = (dataFolder: string, secretKey: string[] = []) => new SecretKeys({ dataFolder, secretKey });
const newFolder = () => mkdtempSync(join(tmpdir(), 'secrets-'));
const fileOf = (folder: string) => readFileSync(join(folder, 'secret.key'), 'utf8').trim().split('\n');

async function storeAll(keys: SecretKeys): Promise<{ id: string; job: string }> {
  const store = new SecretStore(keys);
  const id = await store.put(database.pool, 'a secret');
  const job = randomUUID();
  const cookies = seal(await store.sealingKey(database.pool), '[]', `${job} example.com`);
  await database.pool.query('INSERT INTO crawl_cookies VALUES ($1, $2, true, $3), ($1, $2, false, $4)', [
    job,
    'example.com',
    cookies,
    Buffer.from([0, 91, 93]),
  ]);
  return { id, job };
}

test('a rotation seals everything anew, and the file forgets a key at the next one', async () => {
  const folder = newFolder();
  const { id, job } = await storeAll(keysOf(folder));
  const [first] = fileOf(folder);
  const running = keysOf(folder);
  expect((await rotateSecrets(database.pool, keysOf(folder))).resealed).toBe(2);
  expect(fileOf(folder)[1]).toBe(first);
  expect(await secretKeyUses(database.pool)).toEqual([
    { key_id: running.all[0]?.id, secrets: 1, cookies: 1 },
  ]);
  await rotateSecrets(database.pool, keysOf(folder));
  expect(fileOf(folder)).not.toContain(first);
  expect(await new SecretStore(running).get(database.pool, id)).toBe('a secret');
  const { rows } = await database.pool.query('SELECT cookies FROM crawl_cookies WHERE signed_in');
  expect(unseal(running, rows[0].cookies, `${job} example.com`)).toBe('[]');
});

test('with HOLDFAST_SECRET_KEY everything is sealed with the first, and the others are not needed any more', async () => {
  const [old, fresh] = [newKey().key.toString('base64'), newKey().key.toString('base64')];
  const { id } = await storeAll(keysOf('', [old]));
  await rotateSecrets(database.pool, keysOf('', [fresh, old]));
  expect(await new SecretStore(keysOf('', [fresh])).get(database.pool, id)).toBe('a secret');
});

test('nothing is changed on a machine that lacks a key', async () => {
  await storeAll(keysOf(newFolder()));
  const before = await secretKeyUses(database.pool);
  await expect(rotateSecrets(database.pool, keysOf(newFolder()))).rejects.toMatchObject({
    code: 'secret_key_missing',
  });
  expect(await secretKeyUses(database.pool)).toEqual(before);
});
