import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { valueIntake } from '../../packages/server/src/shop/valuations/value-intake.ts';
import { ConsoleFixture, expectSound } from './console-fixture.ts';

const own = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 2">',
  '"><svg onload=window.ran=3>',
  "javascript:window.ran='4'",
  '[click](javascript:window.ran=5)',
  '{{constructor.constructor("window.ran=6")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it may be crawled
  '${window.ran = 7}',
  '</textarea></title></style><script>window.ran=8</script>',
  'x'.repeat(1_900),
  'no-spaces/'.repeat(150),
  '\u202eright to left\u202c',
  'Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309a\u030a\u030b\u030c\u030d\u030e\u030f\u0310l\u0311\u0312\u0313\u0314go',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'الكل في المجمو عة',
  '&lt;b&gt;&amp;&#x3c;',
  '%s%d%n ../../etc/passwd',
  'null',
  '__proto__',
];

const folder = resolve(
  process.env.CONFORMANCE_DATA ?? fileURLToPath(new URL('../../../shared/conformance', import.meta.url)),
);
const file = join(folder, 'strings/blns.json');
const hasSet = existsSync(file);
if (!hasSet) process.stderr.write(`The console is tried with its own strings alone: there is no ${file}\n`);

/** What a database can hold; the empty one shows as nothing anywhere. */
const strings = [
  ...new Set([...own, ...(hasSet ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [])]),
].filter((text) => text.trim() !== '' && !text.includes('\0'));
const console = new ConsoleFixture();
const ids = { job: '', page: '', result: '', intake: '' };

beforeAll(async () => {
  const { pool } = console;
  const all = strings.join('\n');
  const insert = (sql: string) => pool.query(sql, [strings]);
  const numbered = 'unnest($1::text[]) WITH ORDINALITY AS given (text, n)';
  await insert(`INSERT INTO crawl_jobs (kind, status, completed_at, payload, error_code, error_message)
    SELECT 'crawl', 'failed', now(), jsonb_build_object('url', text), 'run_failed', text FROM ${numbered}`);
  ids.job = await console.value(
    `INSERT INTO crawl_jobs (kind, status, worker_id, lease_expires_at, payload, error_code, error_message)
     VALUES ('crawl', 'processing', left($1, 3000), now() + interval '1 h', jsonb_build_object('url', 'https://example.com/', 'all', $1::text), 'run_failed', $1) RETURNING id`,
    [all],
  );
  await pool.query(
    `INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, reason) VALUES ($1, 1, 'enqueue', 'pending', 0, $2, $2)`,
    [ids.job, all],
  );
  await pool.query('INSERT INTO crawl_states (job_id, current_url) VALUES ($1, $2)', [ids.job, all]);
  await pool.query(
    `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url, title, reason, message, content_type, language, etag, last_modified, description, structured)
     SELECT $2, md5(n::text)::uuid, n, CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'fetched' END::page_outcome, 0, 1, now(), text, text,
       CASE WHEN n % 50 = 0 THEN 'http_404' END, text, text, text, text, text, text, jsonb_build_object('all', text) FROM ${numbered}`,
    [strings, ids.job],
  );
  ids.page = await console.value(`SELECT url_hash FROM crawl_pages WHERE page_no = 1`);
  await pool.query(
    'INSERT INTO crawl_page_contents (job_id, url_hash, markdown, links) VALUES ($1, $2, $3, $4)',
    [ids.job, ids.page, deflateRawSync(all), deflateRawSync(all)],
  );
  await insert(`INSERT INTO crawl_results (job_id, policy_id, user_id, url, price, currency, title, parsed_data, actor)
    SELECT uuid_v7(), uuid_v7(), 'local', text, 1, 'EUR', text, jsonb_build_object('all', text), text FROM ${numbered}`);
  ids.result = await console.value('SELECT id FROM crawl_results ORDER BY id LIMIT 1');
  await insert(
    `INSERT INTO crawl_policies (kind, url) SELECT 'crawl', left(text, 2000) FROM ${numbered} ON CONFLICT DO NOTHING`,
  );
  await insert(
    `INSERT INTO sources (name, configured, hosts) SELECT left(text, 500), true, ARRAY[text] FROM ${numbered}`,
  );
  await insert(
    `INSERT INTO intakes (title, attributes, tags) SELECT left(text, 1000), jsonb_build_object(left(text, 100), text), ARRAY[left(text, 100)] FROM ${numbered}`,
  );
  ids.intake = await console.value('SELECT id FROM intakes ORDER BY id LIMIT 1');
  await pool.query(
    `INSERT INTO price_points (intake_id, source_id, dedupe_key, price, currency, price_type, match_strength, listing_url, listing_title, actor)
     SELECT $2, (SELECT id FROM sources LIMIT 1), 'hash_' || n, n, 'EUR', 'sold', 1, text, text, text FROM ${numbered}`,
    [strings, ids.intake],
  );
  await valueIntake(pool, { id: ids.intake, currency: null });
  await insert(
    `INSERT INTO bots (bot_id, user_id) SELECT left(text, 100), 'local' FROM ${numbered} ON CONFLICT DO NOTHING`,
  );
  await insert(
    `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs) SELECT text, text, 'b', n, 's', left(text, 50), 1 FROM ${numbered}`,
  );
  await insert(
    `INSERT INTO api_keys (secret_hash, prefix, name, user_id, scopes) SELECT sha256(convert_to(text, 'UTF8')), 'hf_', left(text, 200), left(text, 100), '{jobs:read}' FROM ${numbered}`,
  );
});

/** Tells which strings are in no cell of the list, as they are. */
async function missingFrom(page: Page, path: string, texts: readonly string[]): Promise<string[]> {
  await page.goto(path);
  await page.getByRole('main').locator('tbody tr').first().waitFor();
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  return page.evaluate((all) => {
    const cells = [...document.querySelectorAll('main td, main td *')];
    const shown = new Set(cells.map((element) => element.textContent));
    return all.filter((text) => !shown.has(text));
  }, texts as string[]);
}

const cut = (length: number) => strings.map((text) => [...text].slice(0, length).join(''));

test(`${strings.length} odd strings are shown as they are in every list, and nothing runs`, {
  timeout: 180_000,
}, async () => {
  const page = await console.signedIn({}, { viewport: { width: 390, height: 844 } });
  // All at once instead of page by page, which other tests do.
  await page.route(/limit=50/, (route) =>
    route.continue({ url: route.request().url().replace('limit=50', 'limit=1000') }),
  );
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['/jobs', strings],
    ['/pages', strings],
    ['/results', strings],
    ['/policies', cut(2000)],
    ['/intakes', cut(1000)],
    [`/intakes/${ids.intake}`, strings],
    ['/sources', cut(500)],
    ['/bots', cut(100)],
    ['/keys', cut(200)],
  ];
  for (const [path, texts] of lists) {
    expect([path, await missingFrom(page, path, texts)]).toEqual([path, []]);
    await expectSound(page);
  }
});

test('the price history of a URL that is none says so', async () => {
  const id = await console.value(
    `INSERT INTO crawl_results (job_id, user_id, url, price, currency, actor, parsed_data)
     VALUES (uuid_v7(), 'local', 'javascript:alert(1)', 1, 'EUR', 'bot:b', '{}') RETURNING id`,
  );
  const page = await console.admin();
  await page.goto(`/results/${id}`);
  const history = page.getByRole('region', { name: 'Price history' });
  await history.getByRole('alert').getByText('must be an absolute http or https URL').waitFor();
  expect(await history.getByText('price so far').count()).toBe(0);
});

test('odd strings are text in every detail too', { timeout: 60_000 }, async () => {
  const page = await console.signedIn({}, { viewport: { width: 390, height: 844 } });
  for (const path of [
    '/',
    '/workers',
    `/jobs/${ids.job}`,
    `/jobs/${ids.job}?tab=errors`,
    `/jobs/${ids.job}?tab=payload`,
    `/pages/${ids.job}/${ids.page}`,
    `/pages/${ids.job}/${ids.page}?tab=markdown`,
    `/pages/${ids.job}/${ids.page}?tab=links`,
    `/pages/${ids.job}/${ids.page}?tab=data`,
    `/results/${ids.result}`,
    `/intakes/${ids.intake}`,
    `/intakes/${ids.intake}?tab=history`,
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => (document.querySelector('main')?.textContent ?? '').length > 60);
    await expectSound(page);
    const links = await page
      .getByRole('main')
      .locator('a')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol));
    expect([path, links.filter((protocol) => !/^https?:$/.test(protocol))]).toEqual([path, []]);
  }
});
