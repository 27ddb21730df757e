import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { runHoldfast, startHoldfast } from './run-holdfast.ts';

vi.setConfig({ testTimeout: 120_000 });
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());
const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: database.url });
const secretIn = (text: string) => /hf_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? '';

describe('holdfast keys', () => {
  test('makes a key whose secret is shown once, lists it without, and revokes it', async () => {
    const made = await holdfast(
      'keys',
      'create',
      '--name',
      'ci',
      '--user',
      'alice',
      '--scope',
      'jobs:read',
      'jobs:write',
      '--expires',
      '90d',
      '--max-live-jobs',
      '5',
    );
    const secret = secretIn(made.stdout);
    expect([made.exit, secret]).toEqual([0, expect.stringMatching(/^hf_/)]);
    const listed = await holdfast('keys', 'list');
    expect(listed.stdout).toMatch(/ci +alice +jobs:read jobs:write +expires in 90 d +never/);
    expect(listed.stdout).not.toContain(secret);
    const [key] = JSON.parse((await holdfast('keys', 'list', '--json')).stdout);
    expect(key).toMatchObject({ prefix: secret.slice(0, 11), max_live_jobs: 5, revoked_at: null });
    expect((await holdfast('keys', 'revoke', key.id)).stdout).toContain(`revoked key ${key.id}`);
    expect((await holdfast('keys', 'list')).stdout).toMatch(/revoked +never/);
  });

  test('--json gives the secret to scripts, --role the scopes by name', async () => {
    const made = await holdfast('keys', 'create', '--name', 'ops', '--role', 'operator', '--json');
    expect(JSON.parse(made.stdout)).toMatchObject({
      scopes: ['jobs:read', 'jobs:write', 'operate'],
      user_id: 'local',
      secret: secretIn(made.stdout),
    });
  });

  test('--bot-id makes a key of a bot, which may do nothing else unless it is said', async () => {
    const made = await holdfast('keys', 'create', '--name', 'b', '--bot-id', 'bot-001', '--json');
    expect(JSON.parse(made.stdout)).toMatchObject({ scopes: ['bots'], bot_id: 'bot-001' });
  });

  test.each([
    [['create', '--name', 'b', '--bot-id', ' '], 2, /--bot-id must contain only visible characters/],
    [['create'], 2, /--name/],
    [['create', '--name', 'x'], 2, /--role viewer\|operator\|admin\|bot/],
    [['create', '--name', 'x', '--role', 'root'], 2, /viewer, operator, admin, bot/],
    [['create', '--name', 'x', '--role', 'viewer', '--expires', 'soon'], 2, /2030-01-31T08:00:00Z/],
    [
      ['create', '--name', 'x', '--role', 'viewer', '--expires', '2020-01-01T00:00:00Z'],
      2,
      /--expires .*must be in the future/,
    ],
    [['revoke', 'nobody'], 3, /API key not found/],
  ])('%j exits with %i and says what to do', async (args, exit, message) => {
    const outcome = await holdfast('keys', ...args);
    expect(outcome.exit).toBe(exit);
    expect(outcome.stderr).toMatch(message);
  });
});

describe('holdfast api', () => {
  test('serves the API alone, says that a key is missing, and finishes when told to stop', async () => {
    const api = startHoldfast(['api', '--port', '0'], {
      DATABASE_URL: database.url,
      HOLDFAST_LOG_FORMAT: 'json',
    });
    if (!api.stderr) throw new Error('no standard error');
    let address = '';
    for await (const line of createInterface({ input: api.stderr })) {
      const { msg } = JSON.parse(line);
      address ||= /^The API is ready: ([^,]+),/.exec(msg)?.[1] ?? '';
      if (/no admin key yet/.test(msg)) break;
    }
    const { stdout } = await holdfast('keys', 'create', '--name', 'me', '--role', 'admin');
    const headers = { authorization: `Bearer ${secretIn(stdout)}` };
    const answer = await fetch(`${address}/api/v1/keys`, { headers });
    expect([answer.status, ((await answer.json()) as { data: unknown[] }).data.length]).toEqual([200, 1]);
    api.kill('SIGTERM');
    expect(await once(api, 'exit')).toEqual([0, null]);
  });
});

describe('holdfast up', () => {
  test('makes the first admin key, shows it once, and says how to get another', async () => {
    const up = async () => {
      const child = startHoldfast(['up', '--port', '0'], {
        DATABASE_URL: database.url,
        MAX_CONCURRENT_JOBS: '0',
      });
      if (!child.stdout) throw new Error('no standard output');
      let text = '';
      let address = '';
      for await (const line of createInterface({ input: child.stdout })) {
        text += `${line}\n`;
        address ||= /^Holdfast is up: (\S+)$/.exec(line)?.[1] ?? '';
        if (/keys create --name admin --role admin/.test(line)) break;
        if (address) setTimeout(() => child.kill('SIGTERM'), 1_000); // no key is coming
      }
      return { child, text, address };
    };
    const first = await up();
    const secret = secretIn(first.text);
    const answer = await fetch(`${first.address}/api/v1/keys`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(answer.status).toBe(200);
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
    const second = await up();
    expect(second.address).toMatch(/^http:/);
    expect(secretIn(second.text)).toBe('');
  }, 60_000);
});
