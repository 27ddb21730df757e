import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueueFixture } from '../queue-fixture/queue-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';

const queue = new QueueFixture();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'intakes-'));
});
afterAll(() => rm(folder, { recursive: true }));
const holdfast = (...args: string[]) => runHoldfast(['intakes', ...args], { DATABASE_URL: queue.url });
const file = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

test('items are imported, priced by hand, shown, enqueued and deleted', async () => {
  const coins = await file(
    'coins.csv',
    'reference,title,year,tags\nA,Morgan Dollar,1881,coins\nB,Eagle,1990,coins\n',
  );
  expect((await holdfast('import', coins)).stdout).toBe('2 intakes added, 0 changed\n');
  expect((await holdfast('import', coins)).stdout).toBe('0 intakes added, 2 changed\n');
  const listed = JSON.parse((await holdfast('list', '--search', 'morgan', '--json')).stdout);
  expect(listed).toMatchObject([{ reference: 'A', attributes: { year: '1881' } }]);
  const [{ id }] = listed;
  const settings = await file('hand.json', '{"adapter_type": "import", "reputation_weight": 1}');
  const made = await runHoldfast(['sources', 'set', 'hand', '--file', settings], { DATABASE_URL: queue.url });
  expect(made.stdout).toMatch(/adapter +import/);
  const sales = await file(
    'sales.csv',
    'price,currency,title\n12.50,USD,Morgan Dollar 1881\n13.50,USD,1881 Morgan Dollar\n',
  );
  expect((await holdfast('add-prices', id, sales, '--source', 'hand')).stdout).toBe(
    '2 prices added, 0 with a stronger match, 0 already known\n',
  );
  const { stdout } = await holdfast('show', id);
  expect(stdout).toMatch(/worth +13.00 USD, mean 13.00/);
  expect(stdout).toMatch(/confidence +\d of 10.*\n +0 {2}There are 2 comparable prices\./);
  expect(stdout).toMatch(/hand +2/);
  const none = await holdfast('enqueue', id);
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('no enabled source has an adapter')]);
  const config = '{"url": "https://a.example/{title}", "fields": {"price": "p"}}';
  await runHoldfast(['sources', 'set', 'a', '--adapter', 'json', '--config', config], {
    DATABASE_URL: queue.url,
  });
  expect((await holdfast('enqueue', '--tag', 'coins')).stdout).toMatch(/^job \S+: a\njob \S+: a\n$/);
  expect((await holdfast('enqueue', id)).stdout).toMatch(/a \(already live\)/);
  expect((await holdfast('delete', id)).stdout).toBe(`intake ${id}: deleted\n`);
  expect((await holdfast('show', id)).exit).toBe(3);
}, 180_000);

test('what is wrong is said in plain words', async () => {
  const missing = await holdfast('import', join(folder, 'none.csv'));
  expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read: ENOENT')]);
  const bad = await runHoldfast(
    ['sources', 'set', 'x', '--adapter', 'json', '--config', '{"url": "ftp://x"}'],
    {
      DATABASE_URL: queue.url,
    },
  );
  expect([bad.exit, bad.stderr]).toEqual([2, expect.stringContaining('config')]);
}, 60_000);
