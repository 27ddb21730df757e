import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { runHoldfast } from './run-holdfast.ts';

vi.setConfig({ testTimeout: 120_000 });
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());
const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: database.url });

describe('holdfast bots', () => {
  test('makes a bot with a token that is shown once, lists it, disables and enables it', async () => {
    const made = await holdfast(
      'bots',
      'create',
      'bot-001',
      '--domain',
      'shop.example',
      'b.example',
      '--json',
    );
    expect(made.exit).toBe(0);
    const { token, ...bot } = JSON.parse(made.stdout);
    expect(token).toMatch(/^hf_/);
    expect(bot).toMatchObject({
      bot_id: 'bot-001',
      user_id: 'local',
      allowed_domains: ['shop.example', 'b.example'],
    });
    const listed = await holdfast('bots', 'list');
    expect(listed.stdout).toMatch(/bot-001 +local +enabled +never .* shop\.example b\.example/);
    expect(listed.stdout).not.toContain(token);
    expect((await holdfast('bots', 'disable', 'bot-001')).stdout).toBe('disabled bot bot-001\n');
    const [disabled] = JSON.parse((await holdfast('bots', 'list', '--json')).stdout);
    expect(disabled).toMatchObject({ bot_id: 'bot-001', enabled: false });
    const enabled = await holdfast('bots', 'enable', 'bot-001', '--json');
    expect(JSON.parse(enabled.stdout)).toMatchObject({ enabled: true });
    const { rows } = await database.pool.query('SELECT scopes::text, bot_id FROM api_keys');
    expect(rows).toEqual([{ scopes: '{bots}', bot_id: 'bot-001' }]);
  });

  test('a name with spaces is shown as it must be typed', async () => {
    const { stdout } = await holdfast('bots', 'create', "bob's name!");
    expect(stdout).toContain(`created bot 'bob'\\''s name!' of local`);
    expect(stdout).toContain('Quote its name in a shell');
  });

  test.each([
    [['create', 'b', '--max-jobs-per-pull', '101'], 2, /100/],
    [['create', 'b', '--domain', 'http://x/'], 2, /is not a domain/],
    [['create', 'a  b'], 2, /the name of the bot must contain only visible characters/],
    [['create', 'b', '--max-jobs-per-pull', '0'], 2, /--max-jobs-per-pull must be at least 1/],
    [['disable', 'nobody'], 3, /Bot not found/],
  ])('%j exits with %i and says what to do', async (args, exit, message) => {
    const outcome = await holdfast('bots', ...args);
    expect([outcome.exit, outcome.stderr]).toEqual([exit, expect.stringMatching(message)]);
  });
});

test('holdfast results list shows what visits brought back, with exact prices, filtered', async () => {
  expect((await holdfast('results', 'list')).stdout).toMatch(
    /^No results yet\. Visit a page: .*holdfast jobs create visit/,
  );
  for (const [price, currency] of [
    ['99.990', 'USD'],
    ['0.30000000000000004', 'EUR'],
  ]) {
    await database.pool.query(
      `INSERT INTO crawl_results (job_id, user_id, url, price, currency, in_stock, actor)
       VALUES (gen_random_uuid(), 'local', 'https://shop.example/', $1, $2, true, 'bot:b')`,
      [price, currency],
    );
  }
  const table = (await holdfast('results', 'list')).stdout;
  expect(table).toMatch(/0\.30000000000000004 +EUR +yes .* bot:b .*\n.* 99\.990 +USD +yes/);
  const euros = JSON.parse((await holdfast('results', 'list', '--currency', 'eur', '--json')).stdout);
  expect(euros).toMatchObject([
    { price: '0.30000000000000004', currency: 'EUR', url: 'https://shop.example/' },
  ]);
  expect((await holdfast('results', 'list', '--currency', 'euro')).exit).toBe(2);
});
