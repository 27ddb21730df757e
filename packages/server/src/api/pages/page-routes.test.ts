import { randomUUID } from 'node:crypto';
import { deflateRawSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { ListeningApi, type RequestOptions } from '../../../../../test/api-fixture/listening-api.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';

const api = new ListeningApi();
beforeEach(() =>
  api.pool.query('TRUNCATE crawl_jobs, crawl_states, crawl_pages, crawl_page_contents, job_events'),
);

async function newCrawl(owner = 'alice'): Promise<string> {
  const { job } = await enqueueJob(api.pool, {
    kind: 'crawl',
    payload: { url: 'https://example.com/' },
    user_id: owner,
  });
  await api.pool.query('INSERT INTO crawl_states (job_id) VALUES ($1)', [job.id]);
  return job.id;
}

/** As hashes are: of no version that UUIDs know. */
function newHash(): string {
  const id = randomUUID();
  return `${id.slice(0, 14)}0${id.slice(15, 19)}0${id.slice(20)}`;
}

async function newPage(job: string, number: number, fields: Record<string, unknown> = {}): Promise<string> {
  const page = {
    job_id: job,
    url_hash: newHash(),
    page_no: number,
    outcome: 'fetched',
    kind: 'page',
    status: 200,
    depth: 0,
    attempts: 1,
    fetched_at: new Date(),
    url: `https://example.com/${number}`,
    title: `Page ${number}`,
    ...fields,
  };
  await api.pool.query('INSERT INTO crawl_pages SELECT * FROM jsonb_populate_record(NULL::crawl_pages, $1)', [
    JSON.stringify(page),
  ]);
  return page.url_hash;
}

const deflated = (text: string) => deflateRawSync(Buffer.from(text));

async function store(
  job: string,
  hash: string,
  content: { markdown?: string; html?: string; links?: string },
) {
  const { markdown, html, links } = content;
  await api.pool.query(
    'INSERT INTO crawl_page_contents (job_id, url_hash, markdown, html, links) VALUES ($1, $2, $3, $4, $5)',
    [job, hash, ...[markdown, html, links].map((text) => (text === undefined ? null : deflated(text)))],
  );
}

describe('the pages of a job', () => {
  test('are listed without content, page by page, and filtered', async () => {
    const job = await newCrawl();
    for (let n = 1; n <= 5; n++) await newPage(job, n);
    await newPage(job, 6, { outcome: 'failed', reason: 'http_404', status: 404, message: 'gone' });
    const first = await api.json(`/api/v1/jobs/${job}/pages?limit=4`);
    expect(first.status).toBe(200);
    expect(first.body.data.map((page: { page_no: number }) => page.page_no)).toEqual([1, 2, 3, 4]);
    expect(first.body.data[0]).not.toHaveProperty('markdown');
    const second = await api.json(`/api/v1/jobs/${job}/pages?limit=4&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ data: [{ page_no: 5 }, { page_no: 6 }], next_cursor: null });
    const failed = await api.json(
      `/api/v1/jobs/${job}/pages?outcome=failed&reason=http_404&status=404&search=EXAMPLE`,
    );
    expect(failed.body.data).toMatchObject([
      { page_no: 6, message: 'gone', fetched_at: expect.stringMatching(/Z$/) },
    ]);
    const newest = await api.json(`/api/v1/jobs/${job}/pages?order=newest&limit=1`);
    expect(newest.body.data).toMatchObject([{ page_no: 6 }]);
  });

  test.each([
    'outcome=lost',
    'status=1',
    'status=x',
    'limit=0',
    'limit=1001',
    'order=odd',
    'cursor=!',
    `cursor=${Buffer.from('{"page_no":-1,"reason":""}').toString('base64url')}`,
    `cursor=${Buffer.from('{"page_no":1}').toString('base64url')}`,
    `search=${'x'.repeat(201)}`,
    'search=%00',
    'what=ever',
  ])('are refused with ?%s', async (query) => {
    const job = await newCrawl();
    const { status, body } = await api.json(`/api/v1/jobs/${job}/pages?${query}`);
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
  });

  test('are not there for others, nor of a job that is not', async () => {
    const bob = await api.key({ user_id: 'bob' });
    const job = await newCrawl();
    const hash = await newPage(job, 1);
    for (const path of [
      'pages',
      `pages/${hash}`,
      `pages/${hash}/html`,
      `pages/${hash}/markdown`,
      `pages/${hash}/diff`,
      'errors',
    ]) {
      const refused = await api.json(`/api/v1/jobs/${job}/${path}`, { key: bob });
      expect([path, refused.status, refused.body.error.code]).toEqual([path, 404, 'job_not_found']);
      const missing = await api.json(`/api/v1/jobs/${randomUUID()}/${path}`);
      expect([path, missing.status]).toEqual([path, 404]);
      expect((await api.json(`/api/v1/jobs/17/${path}`)).status).toBe(400);
    }
  });
});

describe('a page', () => {
  test('is shown with its markdown, links and structured data', async () => {
    const job = await newCrawl();
    const structured = { og: { title: 'A' } };
    const hash = await newPage(job, 1, { description: 'd', structured, etag: '"e"' });
    await store(job, hash, { markdown: '# Übung', links: 'https://a.example/\nhttps://b.example/' });
    const { status, body } = await api.json(`/api/v1/jobs/${job}/pages/${hash}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      url_hash: hash,
      markdown: '# Übung',
      links: ['https://a.example/', 'https://b.example/'],
      structured,
      description: 'd',
      etag: '"e"',
      has_html: false,
      omitted: [],
    });
    expect((await api.json(`/api/v1/jobs/${job}/pages/${randomUUID()}`)).body.error.code).toBe(
      'page_not_found',
    );
    expect((await api.json(`/api/v1/jobs/${job}/pages/x`)).status).toBe(400);
    const missing = await api.json(`/api/v1/jobs/${job}/pages/${hash}/html`);
    expect(missing.body.error.code).toBe('page_not_found');
  });

  test('differs from what the crawl before had, line by line', async () => {
    const [before, job] = [await newCrawl(), await newCrawl()];
    await api.pool.query('UPDATE crawl_states SET baseline = $2 WHERE job_id = $1', [job, before]);
    const hash = await newPage(before, 1);
    await newPage(job, 1, { url_hash: hash, change: 'changed' });
    await store(before, hash, { markdown: 'first\nold' });
    await store(job, hash, { markdown: 'first\nnew' });
    const { status, body } = await api.json(`/api/v1/jobs/${job}/pages/${hash}/diff`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ baseline: before, change: 'changed', diff: expect.any(String) }),
    ]);
    expect(body.diff.split('\n')).toEqual(expect.arrayContaining([' first', '-old', '+new']));
    const uncompared = await api.json(`/api/v1/jobs/${before}/pages/${hash}/diff`);
    expect([uncompared.status, uncompared.body.error.code]).toEqual([400, 'bad_request']);
  });

  test('shares the content of its baseline when it did not change', async () => {
    const [before, job] = [await newCrawl(), await newCrawl()];
    const hash = await newPage(job, 1, { change: 'unchanged', content_job: before });
    await store(before, hash, { markdown: 'the same', html: '<p>the same' });
    const { body } = await api.json(`/api/v1/jobs/${job}/pages/${hash}`);
    expect(body).toMatchObject({ markdown: 'the same', has_html: true, change: 'unchanged' });
    expect(await (await api.request(`/api/v1/jobs/${job}/pages/${hash}/html`)).text()).toBe('<p>the same');
  });

  test('leaves out what is too large to be shown; that can be downloaded', async () => {
    const job = await newCrawl();
    const hash = await newPage(job, 1);
    const markdown = 'x'.repeat(5_000_000);
    await store(job, hash, { markdown });
    const { body } = await api.json(`/api/v1/jobs/${job}/pages/${hash}`);
    expect([body.markdown, body.omitted]).toEqual([null, ['markdown']]);
    const download = await api.request(`/api/v1/jobs/${job}/pages/${hash}/markdown`);
    expect(download.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await download.text()).toBe(markdown);
  });

  test('gives its raw HTML as a file to save, never as a page of ours', async () => {
    const job = await newCrawl();
    const hash = await newPage(job, 1);
    const html = '<script>alert(document.domain)</script>';
    await store(job, hash, { html });
    const { status, headers, ...answer } = await api
      .request(`/api/v1/jobs/${job}/pages/${hash}/html`)
      .then(async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
    expect([status, answer.text]).toEqual([200, html]);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="page-${hash}.html"`);
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('an export', () => {
  const lines = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('has every fetched page once, in order, with its content, and can be gone on with', async () => {
    const job = await newCrawl();
    for (let n = 1; n <= 30; n++)
      await store(job, await newPage(job, n), { markdown: `# Page ${n}`, html: '<p>' });
    await newPage(job, 31, { outcome: 'failed', reason: 'site_error', status: 503 });
    const whole = await api.request(`/api/v1/jobs/${job}/export`);
    expect(whole.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="${job}.jsonl"`);
    const pages = lines(await whole.text());
    expect(pages.map(({ page_no, markdown, html }) => [page_no, markdown, html])).toEqual(
      Array.from({ length: 30 }, (_, n) => [n + 1, `# Page ${n + 1}`, '<p>']),
    );
    const rest = await api.request(`/api/v1/jobs/${job}/export?after=28`);
    expect(lines(await rest.text()).map(({ page_no }) => page_no)).toEqual([29, 30]);
    const csv = (await (await api.request(`/api/v1/jobs/${job}/export?format=csv`)).text()).split('\r\n');
    expect([csv[0]?.slice(0, 12), csv.length]).toEqual(['url,page_no,', 1 + 30 + 1]);
    // What there is of a crawl that is not over, and that it is not.
    expect(whole.headers.get('x-job-status')).toBe('pending');
  });

  test('as WARC is a file of gzip members that goes on where an earlier one ended', async () => {
    const job = await newCrawl();
    for (let n = 1; n <= 3; n++) await store(job, await newPage(job, n), { markdown: `# Page ${n}` });
    const bytes = async (query: string) =>
      Buffer.from(await (await api.request(`/api/v1/jobs/${job}/export?format=warc${query}`)).arrayBuffer());
    const whole = await bytes('');
    const plain = gunzipSync(whole).toString();
    expect(plain.match(/^WARC-Type: \w+/gm)).toEqual([
      'WARC-Type: warcinfo',
      ...Array.from({ length: 3 }, () => ['WARC-Type: conversion', 'WARC-Type: metadata']).flat(),
    ]);
    const rest = await bytes('&after=1');
    expect(whole.subarray(-rest.length)).toEqual(rest);
    expect(
      gunzipSync(rest)
        .toString()
        .match(/^# Page \d/gm),
    ).toEqual(['# Page 2', '# Page 3']);
  });

  test('is not there for others, nor of what is no crawl', async () => {
    const job = await newCrawl('alice');
    const bob = await api.key({ user_id: 'bob' });
    expect((await api.json(`/api/v1/jobs/${job}/export`, { key: bob })).status).toBe(404);
    expect((await api.json(`/api/v1/jobs/${job}/export?format=docx`)).status).toBe(400);
    const folder = await api.json(`/api/v1/jobs/${job}/export?format=md`);
    expect([folder.status, folder.body.error.message]).toEqual([
      400,
      expect.stringContaining('`holdfast export JOB --format md`'),
    ]);
    const { job: visit } = await enqueueJob(api.pool, {
      kind: 'visit',
      payload: { url: 'https://example.com/' },
    });
    expect((await api.json(`/api/v1/jobs/${visit.id}/export`)).body.error.message).toContain('not a crawl');
  });
});

test('what went wrong is grouped by reason', async () => {
  const job = await newCrawl();
  for (let n = 1; n <= 7; n++)
    await newPage(job, n, { outcome: 'failed', reason: 'site_error', status: 503 });
  await newPage(job, 8, { outcome: 'skipped', reason: 'robots_disallowed', status: null });
  const { body } = await api.json(`/api/v1/jobs/${job}/errors`);
  expect(body).toMatchObject({
    data: [
      { outcome: 'failed', reason: 'site_error', count: 7, exact: true },
      { outcome: 'skipped', reason: 'robots_disallowed', count: 1, exact: true, samples: [{ status: null }] },
    ],
    more: false,
  });
  expect(body.data[0].samples).toHaveLength(5);
});

test('the pages of all jobs are those of the caller, or of everyone for an operator', async () => {
  const bob = await api.key({ user_id: 'bob' });
  const [a, b] = [await newCrawl('alice'), await newCrawl('bob')];
  for (const job of [a, b]) for (let n = 1; n <= 3; n++) await newPage(job, n);
  // On a busy machine a page may be short, and still have a next one.
  const jobsOf = async (query: string, options?: RequestOptions) => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await api.json(
        `/api/v1/pages?limit=4${query}${cursor && `&cursor=${cursor}`}`,
        options,
      );
      expect(body.data.length).toBeLessThanOrEqual(4);
      found.push(...body.data.map(({ job_id }: { job_id: string }) => job_id));
      cursor = body.next_cursor;
    }
    return found;
  };
  expect(await jobsOf('')).toEqual([b, b, b, a, a, a]);
  expect(await jobsOf('', { key: bob })).toEqual([b, b, b]);
  expect(await jobsOf('&user_id=alice&search=/2')).toEqual([a]);
  expect((await api.json('/api/v1/pages?user_id=alice', { key: bob })).status).toBe(403);
  expect((await api.json('/api/v1/pages?cursor=x')).status).toBe(400);
  expect((await api.json('/api/v1/pages?outcome=x')).status).toBe(400);
});
