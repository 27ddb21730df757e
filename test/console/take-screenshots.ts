import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { openDatabase } from '../../packages/server/src/database/open-database.ts';
import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { type Filled, fillConsole } from './fill-console.ts';
import { openBrowser } from './open-browser.ts';

const maxBytes = 150_000;
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
