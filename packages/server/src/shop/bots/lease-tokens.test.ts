import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { instanceSecret } from '../../base/database/instance-secret.ts';
import { LeaseTokens } from './lease-tokens.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const id = '550e8400-e29b-41d4-a716-446655440000';
const holder = { userId: 'alice', botId: 'bot-001' };

test('of processes that need a secret at once all get the same', async () => {
  const secrets = await Promise.all(Array.from({ length: 10 }, () => instanceSecret(database.pool, 'one')));
  expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1);
  expect(secrets[0]).toHaveLength(32);
  expect(await instanceSecret(database.pool, 'two')).not.toEqual(secrets[0]);
});

test('a token names its fence to every process, for its job and bot alone', async () => {
  const token = (await LeaseTokens.open(database.pool)).sign({ id, fence: 7 }, holder);
  const tokens = await LeaseTokens.open(database.pool);
  expect(tokens.fenceOf(token, id, holder)).toBe(7);
  expect(tokens.fenceOf(token, id.toUpperCase(), holder)).toBe(7);
  expect(tokens.fenceOf(token, id.replace('5', '6'), holder)).toBeUndefined();
  expect(tokens.fenceOf(token, id, { ...holder, botId: 'bot-002' })).toBeUndefined();
  expect(tokens.fenceOf(token, id, { ...holder, userId: 'bob' })).toBeUndefined();
});

test('a token that was made up or changed is none', async () => {
  const tokens = await LeaseTokens.open(database.pool);
  const bytes = Buffer.from(tokens.sign({ id, fence: 7 }, holder), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    expect(tokens.fenceOf(changed.toString('base64url'), id, holder)).toBeUndefined();
  }
  for (const made of ['', 'x', 'a'.repeat(54), 'ÿ'.repeat(40), '-'.repeat(200)])
    expect(tokens.fenceOf(made, id, holder)).toBeUndefined();
});
