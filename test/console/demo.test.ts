import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { startHoldfast } from '../command-line/run-holdfast.ts';
import { createTestDatabase } from '../database-fixture/create-test-database.ts';
import { ConsoleFixture, expectSound } from './console-fixture.ts';

const console = new ConsoleFixture();
let child: ChildProcess | undefined;
afterAll(async () => {
  if (!child || child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
});

/** The link that `holdfast up` prints for whoever started it. */
async function up(databaseUrl: string): Promise<URL> {
  child = startHoldfast(['up', '--port', '0'], { DATABASE_URL: databaseUrl, HOLDFAST_LOG_LEVEL: 'error' });
  if (!child.stdout) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const [link] = /http:\S+#link=\S+/.exec(line) ?? [];
    if (link) return new URL(link);
  }
  throw new Error('`holdfast up` ended without printing a link');
}

test('one click leads from nothing to the pages of a crawl, which ends by itself', {
  timeout: 90_000,
}, async () => {
  const database = await createTestDatabase();
  const link = await up(database.url);
  const page = await console.newPage({}, link.origin);
  await page.goto(link.href);
  await page.getByText('Welcome. Nothing has run yet.').waitFor();
  await page.getByRole('button', { name: 'Run the demo crawl' }).click();
  await page.getByRole('table', { name: 'Pages' }).getByRole('link').first().waitFor();
  const { rows: first } = await database.pool.query<{ fetched: number; shown: number }>(
    `SELECT extract(epoch FROM (SELECT min(fetched_at) FROM crawl_pages) - created_at)::float8 AS fetched,
       extract(epoch FROM clock_timestamp() - created_at)::float8 AS shown FROM crawl_jobs`,
  );
  // Whoever clicks has pages within ten seconds; a busy machine may take longer to draw them.
  expect(first[0]?.fetched).toBeLessThan(10);
  expect(first[0]?.shown).toBeLessThan(20);
  await page.locator('[data-state="current"]', { hasText: 'completed' }).waitFor({ timeout: 60_000 });
  await expectSound(page);
  const { rows } = await database.pool.query(
    `SELECT count(*)::integer AS pages FROM crawl_pages WHERE outcome = 'fetched'`,
  );
  expect(rows[0].pages).toBeGreaterThan(180);
  // The origin of the sample site is all that was opened: the API cannot reach other private addresses.
  const payloads = await database.pool.query(`SELECT payload -> 'needs_private' AS origins FROM crawl_jobs`);
  expect(payloads.rows).toEqual([{ origins: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)] }]);
  // Before its server goes: the page would report requests that fail.
  await page.close();
  child?.kill('SIGTERM');
  if (child) await once(child, 'exit');
  await database.drop();
});

test('a server without a sample site does not offer it', async () => {
  const page = await console.signedIn();
  await page.goto('/');
  await page.getByText('Welcome. Nothing has run yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Run the demo crawl' }).count()).toBe(0);
  expect((await console.api.json('/api/v1/demo', { method: 'POST' })).status).toBe(404);
});
