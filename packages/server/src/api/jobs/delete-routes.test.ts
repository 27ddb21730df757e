import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';

const api = new ApiFixture();

/** A crawl of `owner` that ended with so many pages. */
async function endedCrawl(owner = 'alice', pages = 3): Promise<string> {
  const request = { kind: 'crawl' as const, payload: { url: 'https://example.com/' }, user_id: owner };
  const { id } = (await enqueueJob(api.pool, request)).job;
  await cancelJobs(api.pool, [id], 'user:test');
  await api.pool.query('INSERT INTO crawl_states (job_id, fetched) VALUES ($1, $2)', [id, pages]);
  const numbers = 'FROM generate_series(1, $2::int) AS n';
  await api.pool.query(
    `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, fetched_at, url)
     SELECT $1, md5(n::text)::uuid, n, 'fetched', 200, 1, 1, now(), 'https://example.com/' || n ${numbers}`,
    [id, pages],
  );
  await api.pool.query(
    `INSERT INTO crawl_page_contents (job_id, url_hash, markdown) SELECT $1, md5(n::text)::uuid, $3 ${numbers}`,
    [id, pages, deflateRawSync('x'.repeat(100))],
  );
  return id;
}

const remove = (id: string, options = {}) => api.call('DELETE', `/api/v1/jobs/${id}`, options);

test('a job that has ended goes, its owner is told what, and after that it is not there', async () => {
  const id = await endedCrawl();
  const told = vi.spyOn(api.context.log, 'info');
  const key = await api.key();
  const answer = await remove(id, { key });
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    {
      id,
      kind: 'crawl',
      status: 'cancelled',
      url: 'https://example.com/',
      user_id: 'alice',
      results: 0,
      price_points: 0,
      is_cleared: true,
    },
  ]);
  expect(told).toHaveBeenCalledWith(
    expect.objectContaining({ job: id, by: 'user:alice', owner: 'alice', url: 'https://example.com/' }),
    `Deleted job ${id}`,
  );
  for (const path of ['', '/pages', '/events', '/export', '/progress', `/pages/${randomUUID()}`])
    expect((await api.call('GET', `/api/v1/jobs/${id}${path}`, { key })).json().error.code).toBe(
      'job_not_found',
    );
  const again = await remove(id, { key });
  expect([again.statusCode, again.json().error]).toMatchObject([404, { code: 'job_not_found' }]);
  const { rows } = await api.pool.query(
    'SELECT (SELECT count(*) FROM crawl_pages) + (SELECT count(*) FROM crawl_page_contents) AS count',
  );
  expect(rows).toEqual([{ count: 0 }]);
});

test('one that has not ended is refused with what to do', async () => {
  const request = { kind: 'crawl' as const, payload: { url: 'https://example.com/' } };
  const { id } = (await enqueueJob(api.pool, request)).job;
  const { statusCode, body } = await remove(id);
  expect(statusCode).toBe(409);
  expect(JSON.parse(body).error).toMatchObject({
    code: 'action_not_allowed',
    message: expect.stringContaining('is pending'),
    hint: expect.stringContaining('Cancel it'),
  });
});

test('one of another owner is not there, but for an operator', async () => {
  const id = await endedCrawl('bob');
  expect((await remove(id, { key: await api.key() })).statusCode).toBe(404);
  expect(
    (await remove(id, { key: await api.key({ scopes: ['jobs:read'], user_id: 'bob' }) })).statusCode,
  ).toBe(403);
  expect((await remove(id, { key: await api.key({ scopes: ['operate', 'jobs:write'] }) })).statusCode).toBe(
    200,
  );
});

test('its result goes only if that is asked for', async () => {
  const result = async () => {
    const id = await endedCrawl('alice', 0);
    await api.pool.query(
      `INSERT INTO crawl_results (job_id, user_id, url, price, currency, actor) VALUES ($1, 'alice', 'https://a.test/', 5, 'USD', 'x')`,
      [id],
    );
    return id;
  };
  const [kept, dropped] = [await result(), await result()];
  expect((await remove(kept)).json()).toMatchObject({ results: 0 });
  const answer = await api.call('DELETE', `/api/v1/jobs/${dropped}?with_results=true`);
  expect(answer.json()).toMatchObject({ results: 1 });
  const { rows } = await api.pool.query('SELECT job_id FROM crawl_results');
  expect(rows).toEqual([{ job_id: kept }]);
  expect((await api.call('DELETE', `/api/v1/jobs/${kept}?with_result=true`)).statusCode).toBe(400);
});

test('an export that is being read breaks off, instead of ending as if it were whole', async () => {
  const id = await endedCrawl('alice', 3);
  const address = await api.server.listen({ port: 0 });
  const ask = api.pool.query.bind(api.pool) as (...query: unknown[]) => Promise<unknown>;
  let reads = 0;
  const asked = vi.spyOn(api.pool, 'query').mockImplementation((async (...query: [{ name?: string }]) => {
    // Between the first slice of pages and the next.
    if (query[0].name === 'read-pages' && ++reads === 2) await ask('DELETE FROM crawl_jobs');
    return ask(...query);
  }) as never);
  const key = await api.key();
  const response = await fetch(`${address}/api/v1/jobs/${id}/export`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(reads).toBe(2);
  asked.mockRestore();
});

test('the pages of a deleted job are in no list, though they wait for a recrawl that is compared with them', async () => {
  const [id, recrawl] = [await endedCrawl(), await endedCrawl('alice', 1)];
  await api.pool.query('UPDATE crawl_states SET baseline = $1 WHERE job_id = $2', [id, recrawl]);
  expect((await remove(id)).json()).toMatchObject({ is_cleared: false });
  expect((await api.pool.query('SELECT FROM crawl_pages WHERE job_id = $1', [id])).rowCount).toBe(3);
  for (const key of [undefined, await api.key()]) {
    const { data } = (await api.call('GET', '/api/v1/pages', key === undefined ? {} : { key })).json();
    expect(data.map(({ job_id }: { job_id: string }) => job_id)).toEqual([recrawl]);
  }
});
