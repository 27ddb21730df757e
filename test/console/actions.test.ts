import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { ConsoleFixture } from './console-fixture.ts';

const console = new ConsoleFixture({ HOLDFAST_SECRET_KEY: randomBytes(32).toString('base64') });
beforeEach(() =>
  console.pool.query(
    'TRUNCATE crawl_jobs, job_events, crawl_states, crawl_pages, crawl_frontier, crawl_hosts, crawl_policies, sources, bots, intakes CASCADE',
  ),
);

type Status = 'pending' | 'processing' | 'paused' | 'failed';

async function newJob(status: Status = 'pending', url = 'https://example.com/'): Promise<string> {
  const { job } = await enqueueJob(console.pool, { kind: 'crawl', payload: { url }, user_id: 'local' });
  const held = `worker_id = 'w', lease_expires_at = now() + interval '1 h', lease_seconds = 60, fence = 1, started_at = now()`;
  const set = { pending: 'fence = 0', processing: held, paused: 'fence = 0', failed: 'completed_at = now()' };
  await console.pool.query(`UPDATE crawl_jobs SET status = $2, ${set[status]} WHERE id = $1`, [
    job.id,
    status,
  ]);
  return job.id;
}

async function doneVisit(): Promise<string> {
  const payload = { url: 'https://shop.example/' };
  const { job } = await enqueueJob(console.pool, { kind: 'visit', payload });
  await console.pool.query(
    `UPDATE crawl_jobs SET status = 'completed', completed_at = now(), started_at = now() - interval '1 h' WHERE id = $1`,
    [job.id],
  );
  return job.id;
}

const statusOf = (id: string) => console.value<string>('SELECT status FROM crawl_jobs WHERE id = $1', [id]);

describe('on the page of a job', () => {
  test.each([
    ['Pause', 'pending', 'paused'],
    ['Resume', 'paused', 'pending'],
    ['Cancel', 'pending', 'cancelled'],
    ['Mark pending', 'failed', 'pending'],
    ['Reset lock', 'processing', 'pending'],
    ['Mark expired', 'processing', 'expired'],
  ] as const)('%s makes a %s job %s', async (label, before, after) => {
    const id = await newJob(before);
    const page = await console.admin();
    await page.goto(`/jobs/${id}`);
    await page.getByRole('button', { name: label }).first().click();
    if (['Cancel', 'Reset lock', 'Mark expired'].includes(label))
      await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
    await page.locator(`[data-state="current"]`, { hasText: after }).waitFor();
    expect(await statusOf(id)).toBe(after);
  });

  test('Run again makes a completed visit a new job, and leads there', async () => {
    const id = await doneVisit();
    const page = await console.admin();
    await page.goto(`/jobs/${id}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('link', { name: id }).waitFor();
    await page.locator(`[data-state="current"]`, { hasText: 'pending' }).waitFor();
    expect(await console.value('SELECT id FROM crawl_jobs WHERE rerun_of = $1', [id])).toBe(
      new URL(page.url()).pathname.split('/').at(-1),
    );
    expect(await statusOf(id)).toBe('completed');
  });

  test('Delete asks first, and leads to the list without the job; one that has not ended has no such button', async () => {
    const [failed, visit, live] = [await newJob('failed'), await doneVisit(), await newJob()];
    await console.pool.query(
      `INSERT INTO crawl_results (job_id, user_id, url, actor) VALUES ($1, 'local', 'https://shop.example/', 'bot:b')`,
      [visit],
    );
    const page = await console.admin();
    await page.goto(`/jobs/${live}`);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    const remove = async (id: string, choose?: string) => {
      await page.goto(`/jobs/${id}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete job' });
      if (choose) await dialog.getByLabel(choose).check();
      await dialog.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      if (choose) await dialog.getByLabel(choose).check();
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.waitForURL((url) => url.pathname === '/jobs');
    };
    await remove(failed);
    expect(await console.pool.query('SELECT id FROM crawl_jobs WHERE id = $1', [failed])).toMatchObject({
      rowCount: 0,
    });
    await remove(visit, 'Also delete its result');
    expect((await console.pool.query('SELECT FROM crawl_results WHERE job_id = $1', [visit])).rowCount).toBe(
      0,
    );
    await page.getByRole('link', { name: 'https://example.com/' }).waitFor();
    expect(await statusOf(live)).toBe('pending');
  });

  test('the URLs of a reason are tried again', async () => {
    const id = await newJob('pending');
    await console.pool.query(
      `UPDATE crawl_jobs SET status = 'completed', completed_at = now() WHERE id = $1`,
      [id],
    );
    await console.pool.query(
      'INSERT INTO crawl_states (job_id, failed, total_processed, next_page_no) VALUES ($1, 2, 2, 3)',
      [id],
    );
    await console.pool.query(
      `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url, reason)
       SELECT $1, md5(n::text)::uuid, n, 'failed', 0, 1, now(), 'https://example.com/' || n, CASE n WHEN 1 THEN 'http_404' ELSE 'http_500' END
       FROM generate_series(1, 2) AS n`,
      [id],
    );
    const page = await console.admin();
    await page.goto(`/jobs/${id}?tab=errors`);
    await page
      .getByRole('region', { name: /^http_500/ })
      .getByRole('checkbox')
      .check();
    await page.getByRole('button', { name: /^Retry the URLs/ }).click();
    await page.locator(`[data-state="current"]`, { hasText: 'pending' }).waitFor();
    const { rows } = await console.pool.query('SELECT url FROM crawl_frontier WHERE job_id = $1', [id]);
    expect(rows).toEqual([{ url: 'https://example.com/2' }]);
  });
});

describe('on the list of jobs', () => {
  test('a thousand jobs of a filter are cancelled, and no other', { timeout: 60_000 }, async () => {
    await console.pool.query(
      `INSERT INTO crawl_jobs (event_count, kind, payload) SELECT 1, 'visit', jsonb_build_object('url', 'https://many.example/' || n) FROM generate_series(1, 1000) AS n`,
    );
    const other = await newJob('pending', 'https://other.example/');
    const page = await console.admin();
    await page.goto('/jobs?kind=visit');
    await page.getByRole('button', { name: 'act on all jobs that match the filter' }).click();
    await page.getByRole('region', { name: 'Bulk actions' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('1,000 changed').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await console.value(`SELECT count(*)::integer FROM crawl_jobs WHERE status = 'cancelled'`)).toBe(
      1000,
    );
    expect(await statusOf(other)).toBe('pending');
  });

  test.each([
    ['Mark pending', 'failed', 'pending'],
    ['Mark expired', 'processing', 'expired'],
    ['Reset lock', 'processing', 'pending'],
    ['Pause', 'pending', 'paused'],
    ['Resume', 'paused', 'pending'],
  ] as const)('%s of a selection leaves the others alone', async (label, before, after) => {
    const [chosen, left] = [
      await newJob(before, 'https://a.example/'),
      await newJob(before, 'https://b.example/'),
    ];
    const page = await console.admin();
    await page.goto('/jobs');
    await page.getByRole('checkbox', { name: `Select ${chosen}` }).check();
    await page.getByText('1 selected').waitFor();
    await page.getByRole('region', { name: 'Bulk actions' }).getByRole('button', { name: label }).click();
    await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
    await page.getByText('1 changed').waitFor();
    expect([await statusOf(chosen), await statusOf(left)]).toEqual([after, before]);
  });

  test('Mark pending of a selection runs completed visits again', async () => {
    const id = await doneVisit();
    const page = await console.admin();
    await page.goto('/jobs');
    await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    const actions = page.getByRole('region', { name: 'Bulk actions' });
    await actions.getByRole('button', { name: 'Mark pending' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark pending', exact: true }).click();
    await page.getByText('1 changed').waitFor();
    expect(await console.value('SELECT status FROM crawl_jobs WHERE rerun_of = $1', [id])).toBe('pending');
  });

  test('jobs are found by when they were locked', async () => {
    const id = await doneVisit();
    const never = await newJob('pending');
    const page = await console.admin();
    await page.goto('/jobs');
    await page.getByRole('checkbox', { name: `Select ${never}` }).waitFor();
    await page.getByLabel('Locked after').fill('2020-01-31T08:00');
    await page.getByRole('checkbox', { name: `Select ${never}` }).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: `Select ${id}` }).waitFor();
  });

  test('a crawl is started from its form', async () => {
    const page = await console.admin();
    await page.goto('/jobs');
    await page.getByRole('button', { name: 'Crawl a site' }).first().click();
    await page.getByLabel('Start URL').fill('https://example.com/docs/');
    await page.getByLabel('Maximum pages').fill('20');
    await page.getByRole('button', { name: 'Start crawl' }).click();
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
    expect(await console.value('SELECT payload FROM crawl_jobs')).toMatchObject({
      url: 'https://example.com/docs/',
      max_pages: 20,
    });
  });

  test('new jobs appear by themselves, but not while rows are selected', { timeout: 60_000 }, async () => {
    const first = await newJob('pending', 'https://first.example/');
    const page = await console.admin();
    await page.goto('/jobs');
    await page.getByText('live', { exact: true }).waitFor();
    await newJob('pending', 'https://second.example/');
    await page.getByRole('link', { name: 'https://second.example/' }).waitFor();
    const box = page.getByRole('checkbox', { name: `Select ${first}` });
    await box.check();
    await page.getByText('paused', { exact: true }).first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/v1\/(jobs|events)/.test(request.url())) asked.push(request.url());
    });
    await newJob('pending', 'https://third.example/');
    await page.waitForTimeout(2_500);
    expect(asked).toEqual([]);
    await box.uncheck();
    await page.getByRole('link', { name: 'https://third.example/' }).waitFor();
  });
});

test('the progress of a crawl moves while it is looked at', async () => {
  const id = await newJob('processing');
  await console.pool.query(
    'INSERT INTO crawl_states (job_id, fetched, total_processed, total_pending) VALUES ($1, 3, 3, 97)',
    [id],
  );
  const page = await console.admin();
  await page.goto(`/jobs/${id}`);
  const progress = page.getByRole('region', { name: 'Progress' });
  await progress.getByText('97', { exact: true }).waitFor();
  await console.pool.query(
    'UPDATE crawl_states SET fetched = 60, total_processed = 60, total_pending = 40, updated_at = now() WHERE job_id = $1',
    [id],
  );
  await progress.getByText('40', { exact: true }).waitFor();
});

describe('policies', () => {
  test('are made, edited, switched off and on, and run', { timeout: 60_000 }, async () => {
    const page = await console.admin();
    const policy = () => console.pool.query('SELECT * FROM crawl_policies').then(({ rows }) => rows[0]);
    await page.goto('/policies');
    await page.getByRole('button', { name: 'New policy' }).first().click();
    await page.getByLabel('URL', { exact: true }).fill('https://shop.example/p/1');
    await page.getByLabel('Frequency, hours').fill('2.5');
    await page.getByRole('button', { name: 'Create policy' }).click();
    await page.getByText('2.5 h').waitFor();
    expect(await policy()).toMatchObject({ kind: 'visit', enabled: true, priority: 0 });

    await page.getByRole('button', { name: 'Edit https://shop.example/p/1' }).click();
    await page.getByLabel('Priority', { exact: true }).last().fill('12');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '12', exact: true }).waitFor();
    expect((await policy()).priority).toBe(12);

    await page.getByRole('button', { name: 'Disable https://shop.example/p/1' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    expect((await policy()).enabled).toBe(false);
    await page.getByRole('button', { name: 'Enable https://shop.example/p/1' }).click();
    await page.getByText('enabled', { exact: true }).waitFor();

    await console.pool.query(`UPDATE crawl_policies SET next_run_at = now() + interval '5 h'`);
    await page.reload();
    await page.getByText('In 5 hours').waitFor();
    await page.getByRole('button', { name: 'Run https://shop.example/p/1 now' }).click();
    await page.getByText('Ready NOW').waitFor();
    expect(await console.value('SELECT next_run_at <= now() FROM crawl_policies')).toBe(true);
  });
});

describe('intakes', () => {
  const jobs = () => console.value<number>(`SELECT count(*)::integer FROM crawl_jobs WHERE kind = 'collect'`);
  const newSource = (id: string, adapter: string) =>
    console.pool.query(
      `INSERT INTO sources (id, name, configured, adapter_type, config) VALUES ($1, $1, true, $2, '{"url": "https://a.example/", "fields": {"price": "p"}}')`,
      [id, adapter],
    );

  test('are made, priced by hand, edited, collected and deleted', { timeout: 60_000 }, async () => {
    await newSource('shop', 'json');
    await newSource('hand', 'import');
    const page = await console.admin();
    const intake = () => console.pool.query('SELECT * FROM intakes').then(({ rows }) => rows[0]);
    await page.goto('/intakes');
    await page.getByRole('button', { name: 'New intake' }).first().click();
    await page.getByRole('textbox', { name: /^Title/ }).fill('Morgan Dollar');
    await page.getByRole('textbox', { name: /^Attributes/ }).fill('year: 1881\nmintmark: S');
    await page.getByRole('textbox', { name: /^Tags/ }).fill('coins, silver');
    await page.getByRole('button', { name: 'Create intake' }).click();
    await page.waitForURL(/\/intakes\/[0-9a-f-]{36}/);
    await page.getByText('no price has been observed yet').waitFor();
    expect(await intake()).toMatchObject({
      attributes: { year: 1881, mintmark: 'S' },
      tags: ['coins', 'silver'],
      currency: null,
    });

    await page.getByRole('button', { name: 'Add prices' }).click();
    await page
      .getByLabel('Or paste it')
      .fill(
        `price,currency,price_type,title\n${[30, 31, 32, 33, 34, 900].map((price) => `${price},USD,sold,Morgan Dollar 1881 S`).join('\n')}`,
      );
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('6 added, 0 already known.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('There are 5 comparable prices.').waitFor();
    await page.getByText('Outliers, which decide nothing: 900 (hand)').waitFor();
    expect(await console.value('SELECT median::text FROM valuations')).toBe('32.00');

    await page.getByRole('button', { name: 'Delete price 34 USD' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are 4 comparable prices.').waitFor();
    expect(await console.value('SELECT count(*)::integer FROM price_points')).toBe(5);

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: /^Reference/ }).fill('M-81');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('M-81', { exact: true }).waitFor();
    expect(await intake()).toMatchObject({ reference: 'M-81', attributes: { year: 1881, mintmark: 'S' } });

    await page.getByRole('button', { name: 'Collect now' }).click();
    await page.getByText('1 job created.').waitFor();
    expect(await jobs()).toBe(1);
    await page.getByRole('tab', { name: 'jobs' }).click();
    await page.getByRole('table', { name: 'Jobs of the intake' }).getByText('shop').waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No intakes yet' }).waitFor();
    expect(await intake()).toBeUndefined();
    expect(await console.value('SELECT status FROM crawl_jobs')).toBe('cancelled');
  });

  test('are imported, found by a filter, and those chosen are collected', async () => {
    await newSource('shop', 'json');
    const page = await console.admin();
    await page.goto('/intakes');
    await page.getByRole('button', { name: 'Import' }).first().click();
    await page
      .getByLabel('Or paste it')
      .fill('title,year,tags\nEagle,1986,new\nDucat,1915,old\nSovereign,1817,old');
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('3 added, 0 changed.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByLabel('Tag', { exact: true }).fill('old');
    await page.waitForURL(/tag=old/);
    await page.getByRole('link', { name: 'Eagle' }).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select Ducat' }).check();
    await page.getByRole('button', { name: 'Collect now', exact: true }).click();
    await page.getByText('1 job created.').waitFor();
    expect(await console.value(`SELECT payload ->> 'title' FROM crawl_jobs`)).toBe('Ducat');
  });
});

describe('the rest', () => {
  test('a source that stands still is resumed from the overview, and paused in its list', async () => {
    await newJob();
    await console.pool.query(
      `INSERT INTO sources (id, name, paused_until, pause_reason) VALUES ('host:a.example', 'a.example', 'infinity', 'operator')`,
    );
    const until = () => console.value('SELECT paused_until FROM sources');
    const page = await console.admin();
    await page.goto('/');
    await page.getByRole('region', { name: 'Sources' }).getByRole('button', { name: 'Resume' }).click();
    await expect.poll(until).toBeNull();
    await page.goto('/sources');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused by an operator').waitFor();
    expect(await until()).not.toBeNull();
  });

  test.each([
    ['the overview', '/', 'Enable'],
    ['the list', '/sources', 'Enable'],
    ['a job that waits for it', '', 'Enable source'],
  ])('a disabled source is enabled from %s', async (_, address, name) => {
    await console.pool.query(
      `INSERT INTO sources (id, name, enabled, configured) VALUES ('shop', 'shop', false, true)`,
    );
    const id = await newJob();
    await console.pool.query(
      `UPDATE crawl_jobs SET run_at = now() + interval '1 h', blocked_by = $1 WHERE id = $2`,
      [{ cause: 'disabled', host: 'example.com', source: 'shop', hosts: 1, sources: ['shop'] }, id],
    );
    const page = await console.admin();
    await page.goto(address || `/jobs/${id}`);
    await page.getByRole('button', { name, exact: true }).click();
    await expect.poll(() => console.value('SELECT enabled FROM sources')).toBe(true);
    await expect.poll(() => console.value('SELECT run_at FROM crawl_jobs')).toBeNull();
  });

  test('a source whose host name does not resolve says so, and is not green', async () => {
    await console.pool.query(
      `INSERT INTO sources (id, name, trouble, trouble_host, trouble_since) VALUES
         ('host:a.example', 'a.example', NULL, NULL, NULL), ('host:b.example', 'b.example', 'dns_failed', 'b.example', now())`,
    );
    const page = await console.admin();
    await page.goto('/sources');
    const colourOf = (text: string) =>
      page.getByText(text, { exact: true }).evaluate((tag) => getComputedStyle(tag).color);
    expect(await colourOf('name does not resolve')).not.toBe(await colourOf('healthy'));
    await page.goto('/');
    await page.getByText('No source is paused.').waitFor();
  });

  test('a bot is switched off', async () => {
    await console.pool.query(`INSERT INTO bots (bot_id, user_id) VALUES ('bot-001', 'local')`);
    const page = await console.admin();
    await page.goto('/bots');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    expect(await console.value('SELECT enabled FROM bots')).toBe(false);
  });

  test('a profile is stored and deleted, and its values are not shown', async () => {
    const page = await console.admin();
    await page.goto('/profiles');
    await page.getByRole('button', { name: 'New profile' }).click();
    await page.getByLabel('Name', { exact: true }).fill('intranet');
    await page.getByLabel('Origins').fill('https://intranet.example');
    await page.getByLabel('Headers').fill('X-Api-Key: planted-key');
    await page.getByLabel('User name').fill('me');
    await page.getByLabel('Password').fill('planted-password');
    await page.getByRole('button', { name: 'Store profile' }).click();
    const row = page.getByRole('row', { name: /intranet/ });
    await row.getByText('password, 1 header').waitFor();
    expect(await page.content()).not.toContain('planted');
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No profiles').waitFor();
    expect(await console.value('SELECT count(*)::int FROM secrets')).toBe(0);
  });

  test('a key is made, shown once, and revoked', async () => {
    const page = await console.admin();
    await page.goto('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name or purpose').fill('a dashboard');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByRole('dialog').locator('code').textContent();
    expect((await console.api.request('/api/v1/jobs', { key: secret })).status).toBe(200);
    await page.getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('row', { name: /a dashboard/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    expect(await console.value(`SELECT revoked_at FROM api_keys WHERE name = 'a dashboard'`)).not.toBeNull();
  });
});
