import { beforeAll, describe, expect, test } from 'vitest';
import { ConsoleFixture, expectAccessible, expectSound, untilShown, visit } from './console-fixture.ts';
import { type Filled, fillConsole } from './fill-console.ts';

const console = new ConsoleFixture();
let filled: Filled;
beforeAll(async () => {
  filled = await fillConsole(console.pool);
  await console.pool.query(`
    WITH secret AS (
      INSERT INTO secrets (id, key_id, sealed) VALUES (gen_random_uuid(), 'key', 'sealed') RETURNING id
    )
    INSERT INTO profiles (user_id, name, origins, contents, secret_id)
    SELECT 'local', 'intranet', '{https://intranet.example}', '{"headers": ["x-api-key"], "auth": "basic", "cookies": []}', id
    FROM secret`);
});

/** Where each view is, and something that it shows when it is there. */
const views: readonly (readonly [name: string, address: (ids: Filled) => string, shows: string])[] = [
  ['the overview', () => '/', 'Bot activity, 24 hours'],
  ['jobs', () => '/jobs', 'https://books.example/'],
  ['a running job', ({ running }) => `/jobs/${running}`, 'runner_crashed: SIGKILL'],
  ['a failed job', ({ failed }) => `/jobs/${failed}`, 'host_unreachable: gone.example does not answer'],
  ['the pages of a job', ({ crawl }) => `/jobs/${crawl}?tab=pages`, 'https://docs.example/guide/beacon/1'],
  ['the text of a job', ({ crawl }) => `/jobs/${crawl}?tab=text`, 'Visible words that became markdown'],
  ['the errors of a job', ({ crawl }) => `/jobs/${crawl}?tab=errors`, 'http_404 · 2 failed'],
  ['the frontier of a job', ({ running }) => `/jobs/${running}?tab=frontier`, 'covers.books.example'],
  [
    'the payload of a job',
    ({ running }) => `/jobs/${running}?tab=payload`,
    '"url": "https://books.example/"',
  ],
  ['the result of a visit', ({ visit }) => `/jobs/${visit}?tab=result`, '4006381333931'],
  ['pages', () => '/pages', 'https://docs.example/guide/beacon/1'],
  ['a page', ({ crawl, changedPage }) => `/pages/${crawl}/${changedPage}`, 'a rope of 20 metres'],
  ['a diff', ({ crawl, changedPage }) => `/pages/${crawl}/${changedPage}?tab=diff`, '-- a rope of 10 metres'],
  [
    'the links of a page',
    ({ crawl, changedPage }) => `/pages/${crawl}/${changedPage}?tab=links`,
    'https://docs.example/guide/keel/3',
  ],
  [
    'a rendered page',
    ({ crawl, renderedPage }) => `/pages/${crawl}/${renderedPage}?tab=screenshot`,
    'browser: it came almost without text',
  ],
  ['policies', () => '/policies', 'In 2.5 hours'],
  ['results', () => '/results', '44.90 EUR'],
  ['a result', ({ result }) => `/results/${result}`, 'Price history'],
  ['intakes', () => '/intakes', 'Walking Liberty Half Dollar'],
  ['an intake', ({ intake }) => `/intakes/${intake}`, 'They come from 2 sources.'],
  ['the history of an intake', ({ intake }) => `/intakes/${intake}?tab=history`, 'Value over time, USD'],
  ['the jobs of an intake', ({ intake }) => `/intakes/${intake}?tab=jobs`, 'auctions'],
  ['the prices that a job brought', ({ collect }) => `/jobs/${collect}?tab=prices`, 'lot 23'],
  ['sources', () => '/sources', 'paused after failures'],
  ['profiles', () => '/profiles', 'https://intranet.example'],
  ['bots', () => '/bots', 'bot-001'],
  ['workers', () => '/workers', 'crawl-eu-2'],
  ['keys', () => '/keys', 'active'],
];

describe.each([
  ['wide and light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['narrow and dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const)('%s', (_name, options) => {
  test('every view shows what there is, fits, and keeps nobody out', { timeout: 120_000 }, async () => {
    const page = await console.signedIn({}, options);
    for (const [name, address, shows] of views) {
      await visit(page, address(filled));
      await untilShown(page, shows);
      await expectSound(page);
      await expectAccessible(page);
      expect(await page.getByRole('heading', { level: 1 }).count(), name).toBe(1);
    }
  });
});

test('without a session every view asks to sign in, and the API tells nothing', async () => {
  const page = await console.newPage();
  for (const [name, address] of views) {
    const served = await page.request.get(address(filled));
    expect([name, served.status(), (await served.text()).includes('example')]).toEqual([name, 200, false]);
    await visit(page, address(filled));
    await page.getByLabel('API key').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  }
  await expectAccessible(page);
  for (const path of [
    'jobs',
    'stats',
    'pages',
    'policies',
    'results',
    'intakes',
    'price-points',
    'valuations',
    'sources',
    'profiles',
    'bots',
    'workers',
    'keys',
    'events',
  ])
    expect([path, (await page.request.get(`/api/v1/${path}`)).status()]).toEqual([path, 401]);
});

test('an empty list says what belongs there', async () => {
  const page = await console.signedIn({ user_id: 'nobody', scopes: ['jobs:read', 'jobs:write'] });
  await page.goto('/');
  await page.getByText('Welcome. Nothing has run yet.').waitFor();
  await page.getByRole('button', { name: 'Crawl a site' }).waitFor();
  for (const [path, title] of [
    ['jobs', 'No jobs yet'],
    ['pages', 'No pages yet'],
    ['policies', 'No policies'],
    ['results', 'No results'],
    ['intakes', 'No intakes yet'],
    ['intakes?search=x', 'No intakes match these filters'],
    ['intakes/01a1e22c-7b49-7075-a9cf-1ffd0b6228ad', 'Intake not found'],
    ['keys', 'Only admins can manage keys'],
    ['jobs/01a1e22c-7b49-7075-a9cf-1ffd0b6228ad', 'Job not found'],
    ['jobs?status=failed', 'No jobs match these filters'],
  ] as const) {
    await visit(page, `/${path}`);
    await page.getByRole('heading', { name: title }).waitFor();
    await expectSound(page);
    await expectAccessible(page);
  }
});

test('an address whose id is none leads to nothing, under a heading, and offers no second try', async () => {
  const page = await console.admin();
  for (const [path, heading, title] of [
    ['jobs/nonsense', 'Job', 'Job not found'],
    ['intakes/nonsense', 'Intake', 'Intake not found'],
  ] as const) {
    await visit(page, `/${path}`);
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual([heading]);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await expectSound(page);
  }
});

test('an address that is none of the views shows the console, which says so', async () => {
  const page = await console.admin();
  const answer = await page.goto('/nope');
  expect([answer?.status(), answer?.headers()['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await expectAccessible(page);
  for (const path of ['/nope', '/api/v1/nope', '/assets/nope.js']) {
    const accept = path === '/nope' ? 'application/json' : 'text/html';
    const told = await page.request.get(path, { headers: { accept } });
    expect([path, told.status(), (await told.json()).error.code]).toEqual([path, 404, 'route_not_found']);
  }
});

test('a job says what it left out, and what can be tried again', async () => {
  const { crawl } = filled;
  await console.pool.query(
    `UPDATE crawl_states SET not_crawled = 1234, off_scope = '{"off_host": 5, "too_deep": 7}' WHERE job_id = $1`,
    [crawl],
  );
  await console.pool.query(
    `INSERT INTO crawl_pages (job_id, page_no, url_hash, url, kind, depth, attempts, outcome, reason, fetched_at)
     VALUES ($1, 900000, gen_random_uuid(), 'https://docs.example/llms.txt', 'sitemap', 0, 1, 'skipped', 'absent', now())`,
    [crawl],
  );
  await console.pool.query(`UPDATE crawl_jobs SET run_at = created_at WHERE id = $1`, [crawl]);
  const page = await console.admin();
  await visit(page, `/jobs/${crawl}?tab=errors`);
  await untilShown(page, 'absent · 1 skipped');
  await untilShown(page, '1,234');
  await untilShown(page, '7 too_deep, 5 off_host');
  const main = page.getByRole('main');
  expect(await main.getByText('Not before').count()).toBe(0);
  const boxes = await main.getByRole('checkbox').count();
  expect(boxes).toBeGreaterThan(0);
  expect(await main.getByRole('heading', { name: / · .*(failed|skipped)/ }).count()).toBe(boxes + 1);
});

test('a rendered page shows its screenshot, and lists tell it from the others', async () => {
  const page = await console.signedIn();
  await visit(page, `/pages/${filled.crawl}/${filled.renderedPage}?tab=screenshot`);
  const picture = page.getByRole('img', { name: /^Screenshot of/ });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1280);
  await visit(page, `/jobs/${filled.crawl}?tab=pages&rendered=true`);
  const table = page.getByRole('table', { name: 'Pages' });
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  await table.getByText('browser', { exact: true }).waitFor();
});

test('a job that a sick worker gave back does not look failed', async () => {
  const id = await console.value<string>(
    `INSERT INTO crawl_jobs (kind, payload, failed_starts, failed_start_worker, error_code, error_message)
     VALUES ('crawl', '{"url": "https://sick.example/"}', 1, 'crawl-eu-2', 'runner_crashed', 'The runner process died')
     RETURNING id`,
  );
  const page = await console.admin();
  await visit(page, `/jobs/${id}`);
  await untilShown(page, 'died before its first request');
  const main = page.getByRole('main');
  const note = await main.getByText('died before its first request').innerText();
  expect(note).toContain('crawl-eu-2');
  expect(note).toContain('No retry was used; the job continues by itself');
  expect(note).toContain('holdfast doctor');
  expect(await main.getByText('runner_crashed').count()).toBe(0);
  expect(await main.getByRole('link', { name: 'Workers' }).getAttribute('href')).toBe('/workers');
  await expectAccessible(page);
});

test('a view that could not be read tries again by itself, and shows what it has then', async () => {
  const page = await console.signedIn();
  const over = await console.answering(page, '**/api/v1/jobs?*', 503);
  await page.clock.install();
  await page.goto('/jobs');
  const tryAgain = page.getByRole('button', { name: 'Try again' });
  // Requests are repeated after one and two seconds before that is said.
  while (!(await tryAgain.isVisible())) await page.clock.runFor(1_000);
  await over();
  await page.clock.runFor(5_000);
  await untilShown(page, 'https://books.example/');
});

test('a view says while the server is away that it shows what was', async () => {
  const page = await console.signedIn();
  await page.goto('/workers');
  await untilShown(page, 'crawl-eu-2');
  const back = await console.awayFrom(page, '**/api/v1/**');
  await page.clock.install();
  await visit(page, '/jobs');
  const told = page.getByText('Holdfast is not responding. You see the last known state');
  while (!(await told.isVisible())) await page.clock.runFor(1_000);
  await back();
  await page.clock.runFor(5_000);
  await untilShown(page, 'https://books.example/');
  expect(await told.count()).toBe(0);
});

test('a list whose first part holds no match is looked through further, and not called empty', async () => {
  const page = await console.signedIn();
  await page.route('**/api/v1/pages?*', async (route) => {
    const address = new URL(route.request().url());
    if (address.searchParams.has('cursor')) return await route.continue();
    address.searchParams.set('limit', '1');
    const { next_cursor } = await (await route.fetch({ url: address.href })).json();
    await route.fulfill({ json: { data: [], next_cursor } });
  });
  await page.goto('/pages');
  await untilShown(page, 'https://docs.example/guide/beacon/1');
  expect(await page.getByRole('heading', { name: 'No pages yet' }).count()).toBe(0);
});

test('a filter is part of the address, and there after a reload', async () => {
  const page = await console.signedIn();
  await page.goto('/jobs');
  const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr');
  await page.getByRole('button', { name: /^failed/ }).click();
  await page.getByLabel('Search URLs').fill('gone');
  await page.waitForURL(/\?status=failed&search=gone$/);
  await page.reload();
  await page.getByRole('link', { name: 'https://gone.example/' }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await page.getByRole('button', { name: /^failed/ }).getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByLabel('Search URLs').inputValue()).toBe('gone');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'https://books.example/' }).waitFor();
  await page.getByRole('button', { name: 'failed, gone', exact: true }).click();
  await page.waitForURL(/status=failed&search=gone/);
});

test('keys go everywhere: views, rows, search and help', async () => {
  const page = await console.signedIn();
  await page.goto('/');
  await page.getByRole('table', { name: 'Last jobs' }).getByRole('link').first().waitFor();
  const focused = () =>
    page.evaluate(() => {
      const rows = [...document.querySelectorAll('main tbody tr[tabindex]')];
      return document.activeElement && rows.indexOf(document.activeElement);
    });
  await page.keyboard.press('j');
  expect(await focused()).toBe(0);
  await page.keyboard.press('j');
  expect(await focused()).toBe(1);
  await page.keyboard.press('k');
  expect(await focused()).toBe(0);
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await page
    .getByRole('table', { name: 'Jobs', exact: true })
    .getByRole('link', { name: 'https://books.example/' })
    .waitFor();
  await page.keyboard.press('j');
  expect(await focused()).toBe(0);
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/jobs\/.+/);
  await page.getByText('Current state').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
});

test('a row opens with Enter in lists that only link, and a dialog begins where people do and ends with Escape', async () => {
  const page = await console.signedIn();
  await page.goto('/pages');
  await untilShown(page, 'https://docs.example/guide/keel/34');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/pages\/.+\/.+/);
  await visit(page, '/jobs');
  const button = page.getByRole('button', { name: 'Crawl a site' });
  await button.click();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'));
  expect(await focused()).toBe('url');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});
