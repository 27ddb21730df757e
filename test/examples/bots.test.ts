import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { visit } from '../bot-fixture/bot-fixture.ts';
import { root } from '../docs/markdown-files.ts';
import { hasPython } from '../has-python.ts';

const example = (path: string) => fileURLToPath(new URL(`../../examples/bots/${path}`, import.meta.url));
const api = new ListeningApi();
const shop = createServer((request, response) => {
  const [, kind, price] = (request.url ?? '').split('/');
  if (kind !== 'p') return response.writeHead(404).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><script type="application/ld+json">{"@graph":[{"@type":"Product","name":"Krug für ${price}",
    "offers":{"@type":"Offer","price":${price},"priceCurrency":"EUR","availability":"https://schema.org/InStock"}}]}</script>`);
});
const folder = mkdtempSync(join(tmpdir(), 'holdfast-examples-'));
const children: ChildProcess[] = [];
let origin: string;

beforeAll(async () => {
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  // As the guide says.
  const bundle = ['--platform', 'node', '--file', join(folder, 'price-bot.mjs')];
  await promisify(execFile)(
    join(root, 'node_modules/.bin/rolldown'),
    [example('typescript/price-bot.ts'), ...bundle],
    {
      cwd: root,
    },
  );
});
beforeEach(() => api.pool.query('TRUNCATE crawl_jobs, job_events, crawl_results, bot_submissions CASCADE'));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
  shop.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['Python', hasPython, () => ['python3', example('python/price_bot.py')]],
  ['TypeScript', true, () => [process.execPath, join(folder, 'price-bot.mjs')]],
] as const)('the example in %s', (_name, canRun, command) => {
  async function start(
    env: Record<string, string> = {},
    ...options: string[]
  ): Promise<{ child: ChildProcess; printed: () => string }> {
    const [file = '', ...args] = command();
    const HOLDFAST_TOKEN = await api.key({ scopes: ['bots'], bot_id: 'bot-007' });
    const child = spawn(file, [...args, ...options], {
      env: { ...process.env, HOLDFAST_TOKEN, HOLDFAST_URL: api.address, HOLDFAST_BOT_ID: 'bot-007', ...env },
    });
    children.push(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => {
        text += data;
      });
    return { child, printed: () => text };
  }

  test.runIf(canRun)('submits exact prices, reports what failed, and ends cleanly when told to', async () => {
    const prices = ['0.10', '19.90', '1299.00', '0.30000000000000004', '7'];
    await enqueueJobs(api.pool, [
      ...prices.map((price) => visit(`${origin}/p/${price}`)),
      visit(`${origin}/gone`, { max_retries: 1 }),
    ]);
    const { child, printed } = await start();
    const ended = async () => {
      const { rows } = await api.pool.query(
        `SELECT status, count(*)::int AS n FROM crawl_jobs GROUP BY status ORDER BY status`,
      );
      return rows;
    };
    await vi.waitFor(
      async () =>
        expect(await ended(), printed()).toEqual([
          { status: 'completed', n: prices.length },
          { status: 'failed', n: 1 },
        ]),
      { timeout: 25_000, interval: 50 },
    );
    const { rows } = await api.pool.query(
      `SELECT price::text, currency, title, in_stock FROM crawl_results ORDER BY crawl_results.price`,
    );
    expect(rows).toEqual(
      prices
        .toSorted((a, b) => Number(a) - Number(b))
        .map((price) => ({ price, currency: 'EUR', title: `Krug für ${price}`, in_stock: true })),
    );
    child.kill('SIGTERM');
    const [exit] = await once(child, 'exit');
    expect([exit, printed()]).toEqual([0, expect.stringContaining('/p/19.90')]);
  });

  test.runIf(canRun)('says in one line that it is refused, and ends', async () => {
    const refused = async (env: Record<string, string>, ...options: string[]) => {
      const { child, printed } = await start(env, ...options);
      const [exit] = await once(child, 'close');
      return [exit, printed()];
    };
    const line = (bot: string, why: string) => expect.stringMatching(new RegExp(`^${bot} at .*${why}.*\n$`));
    const outcomes = await Promise.all([
      refused({ HOLDFAST_TOKEN: 'hf_nonsense' }),
      refused({}, '--bot-id', 'bot-008'),
    ]);
    expect(outcomes).toEqual([
      [1, line('bot-007', 'key is not valid')],
      [1, line('bot-008', 'bot-007|another bot')],
    ]);
  });

  test.runIf(canRun)('can be stopped while it waits for an API that is away', async () => {
    const { child, printed } = await start({ HOLDFAST_URL: 'http://127.0.0.1:1' });
    // The pauses grow: one that waits for them all, or tries on, is not done before the time of this test is up.
    await vi.waitFor(() => expect(printed().split('\n').length).toBeGreaterThan(3), { timeout: 20_000 });
    child.kill('SIGTERM');
    const [exit] = await once(child, 'close');
    expect([exit, printed()]).toEqual([0, expect.not.stringContaining('Traceback')]);
  });

  test.runIf(canRun)('says what it needs when it has no token', async () => {
    const [file = '', ...args] = command();
    const { HOLDFAST_TOKEN: _, ...env } = process.env;
    const { status, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([expect.any(Number), expect.stringContaining('holdfast bots create')]);
    expect(status).not.toBe(0);
  });
});
