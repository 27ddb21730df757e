import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfiguration } from '@holdfast/contract';
import type pg from 'pg';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { createKey } from '../../packages/server/src/queue/access/keys.ts';
import { type Filled, fillConsole } from './fill-console.ts';
import { openBrowser } from './open-browser.ts';

const maxBytes = 180_000;
const program = resolve('packages/server/bin/holdfast.js');

const pictures: readonly (readonly [
  name: string,
  theme: 'light' | 'dark',
  address: (ids: Filled) => string,
  shows: string,
])[] = [
  ['overview', 'light', () => '/', 'Bot activity'],
  ['jobs', 'dark', () => '/jobs', 'https://books.example/'],
  ['job', 'light', ({ running }) => `/jobs/${running}`, 'runner_crashed'],
  ['intake', 'dark', ({ intake }) => `/intakes/${intake}`, 'They come from 2 sources.'],
  ['page-diff', 'dark', ({ crawl, changedPage }) => `/pages/${crawl}/${changedPage}?tab=diff`, 'a rope of'],
  ['result', 'light', ({ result }) => `/results/${result}`, 'Storm lantern'],
];

/** Serves the console over sample data, without a worker that would change it, and takes its pictures. */
export async function takeScreenshots(target: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'holdfast-screenshots-'));
  chmodSync(data, 0o755); // the embedded server may run under another account
  const env = { ...process.env, HOLDFAST_DATA: data, DATABASE_URL: '', HOLDFAST_LOG_LEVEL: 'info' };
  const database = await openDatabase(readConfiguration(env), pino({ level: 'error' }), {
    name: 'screenshots',
  });
  let api: ChildProcess | undefined;
  const browser = await openBrowser();
  try {
    const ids = await fillConsole(database.pool);
    const { secret } = await createKey(database.pool, { name: 'you', user_id: 'local', scopes: ['admin'] });
    api = spawn(process.execPath, [program, 'api', '--port', '0'], {
      env,
    });
    const baseURL = await addressOf(api);
    mkdirSync(target, { recursive: true });
    for (const [name, colorScheme, address, shows] of pictures) {
      const context = await browser.newContext({
        baseURL,
        locale: 'en-GB',
        colorScheme,
        viewport: { width: 1280, height: 720 },
      });
      const page = await context.newPage();
      await page.request.post('/api/session', { data: { key: secret } });
      await page.goto(address(ids));
      await page.getByRole('main').getByText(shows).first().waitFor();
      if (name === 'job') await crawlOn(database.pool, ids.running);
      await settle(page);
      const path = join(target, `console-${name}.png`);
      await page.screenshot({ path });
      await context.close();
      const { size } = statSync(path);
      if (size > maxBytes) throw new Error(`${path} has ${size} bytes; ${maxBytes} are allowed`);
      console.log(`${path}: ${Math.round(size / 1000)} KB`);
    }
  } finally {
    await browser.close();
    if (api?.kill('SIGTERM')) await once(api, 'exit');
    await database.close();
    rmSync(data, { recursive: true, force: true });
  }
}

async function addressOf(api: ChildProcess): Promise<string> {
  for await (const chunk of api.stderr ?? []) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(chunk)) ?? [];
    if (address) return address;
  }
  throw new Error('`holdfast api` ended without an address');
}

/** Until the charts are drawn, and the stream of events is open. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(2_000);
}

/** Pages that come while the job is looked at, so that its rate is drawn. */
async function crawlOn(db: pg.Pool, job: string): Promise<void> {
  for (let step = 1; step <= 14; step++) {
    const pages = 22 + Math.round(9 * Math.sin(step));
    await db.query(
      `WITH last AS (
         UPDATE crawl_states SET next_page_no = next_page_no + $2, fetched = fetched + $2, total_processed = total_processed + $2,
           total_pending = total_pending - $2, updated_at = now() WHERE job_id = $1 RETURNING next_page_no
       )
       INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url)
       SELECT $1, uuid_v7(), next_page_no - n, 'fetched', 4, 1, now() - n * interval '35 ms', 'https://books.example/catalogue/book-' || next_page_no - n
       FROM last CROSS JOIN generate_series(1, $2::integer) AS n`,
      [job, pages],
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
