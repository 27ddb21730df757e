import type { JobRequest, JobSearch } from '@holdfast/contract';
import { expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { claimJobs } from './claim-jobs.ts';
import { enqueueJob } from './enqueue-jobs.ts';
import { searchJobs } from './search-jobs.ts';

const api = new ApiFixture();
const enqueue = async (fields: Partial<JobRequest> = {}) =>
  (
    await enqueueJob(api.pool, {
      kind: 'crawl',
      payload: { url: 'https://example.com/' },
      user_id: 'alice',
      ...fields,
    } as JobRequest)
  ).job;
const list = async (query: string, key?: string) => {
  const answer = await api.call('GET', `/api/v1/jobs?${query}`, key === undefined ? {} : { key });
  expect(answer.statusCode).toBe(200);
  return answer.json() as { data: { id: string; url: string }[]; next_cursor: string | null };
};
const idsOf = async (query: string, key?: string) => (await list(query, key)).data.map(({ id }) => id);

test('lists jobs newest first, page by page, each once', async () => {
  const made: string[] = [];
  for (let n = 0; n < 25; n++) made.unshift((await enqueue()).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list(`limit=10${cursor ? `&cursor=${cursor}` : ''}`);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  expect(seen).toEqual(made);
});

test('shows to an owner their own jobs, to an operator all of them, or those of one', async () => {
  const [alice, bob] = [await enqueue(), await enqueue({ user_id: 'bob' })];
  const local = await enqueue({ user_id: 'local' });
  expect(await idsOf('', await api.key())).toEqual([alice.id]);
  expect(await idsOf('', await api.key({ user_id: 'local' }))).toEqual([local.id]);
  const operator = await api.key({ scopes: ['operate'], user_id: 'olga' });
  expect(await idsOf('', operator)).toEqual([local.id, bob.id, alice.id]);
  expect(await idsOf('user_id=bob', operator)).toEqual([bob.id]);
  expect(await idsOf('user_id=alice', await api.key())).toEqual([alice.id]);
  const refused = await api.call('GET', '/api/v1/jobs?user_id=bob', { key: await api.key() });
  expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'scope_missing']);
});

test('finds by status, kind, executor, priority, time, URL, holder and whether it is held', async () => {
  const held = await enqueue({ priority: 10 });
  await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  const visit = await enqueue({
    kind: 'visit',
    executor: 'bot',
    payload: { url: 'https://shop.example/100%_a' },
    priority: -5,
  });
  const paused = await enqueue({ payload: { url: 'https://example.com/deep/Page' } });
  await api.call('POST', `/api/v1/jobs/${paused.id}/pause`);
  // A second apart, whatever the clock says.
  await api.pool.query(
    `UPDATE crawl_jobs SET created_at = $1::timestamptz + array_position($2, id) * interval '1 second'`,
    [visit.created_at, [held.id, visit.id, paused.id]],
  );
  await api.pool.query('UPDATE crawl_jobs SET started_at = $1 WHERE id = $2', [
    '2026-01-31T08:00:00Z',
    held.id,
  ]);
  const madeAt = new Date(visit.created_at.getTime() + 2_000).toISOString();
  const cases: [string, string[]][] = [
    ['status=paused', [paused.id]],
    ['status=paused&status=processing', [paused.id, held.id]],
    ['status=pending,processing', [visit.id, held.id]],
    ['kind=visit', [visit.id]],
    ['executor=builtin', [paused.id, held.id]],
    ['priority_min=0', [paused.id, held.id]],
    ['priority_max=-1', [visit.id]],
    ['worker_id=w1', [held.id]],
    ['locked=true', [held.id]],
    ['locked_after=2026-01-31T08:00:00Z', [held.id]],
    ['locked_after=2026-01-31T08:00:01Z', []],
    ['locked_before=2026-01-31T08:00:00Z', []],
    ['locked_before=2026-01-31T08:00:01Z', [held.id]],
    ['locked_after=2026-01-31T07:00:00Z&locked_before=2026-01-31T09:00:00Z&kind=visit', []],
    ['locked=false', [paused.id, visit.id]],
    ['search=PAGE', [paused.id]],
    ['search=100%25_', [visit.id]],
    ['search=1%25a', []],
    ['url_prefix=https://example.com/', [paused.id, held.id]],
    ['url_prefix=HTTPS', []],
    [`created_after=${madeAt}`, [paused.id, visit.id]],
    [`created_before=${madeAt}`, [held.id]],
    ['created_after=2999-01-01T00:00:00Z', []],
    ['created_before=1971-01-01T00:00:00Z', []],
    ['policy_id=01a1e1d5-de60-7d19-800b-34c5346a372f', []],
    ['source_id=none', []],
  ];
  for (const [query, ids] of cases) expect([query, await idsOf(query)]).toEqual([query, ids]);
});

test.each([
  'status=gone',
  'limit=0',
  'limit=1001',
  'limit=ten',
  'locked=yes',
  'cursor=x',
  'created_after=today',
  'priority_min=1e9',
])('refuses %s', async (query) => {
  expect((await api.call('GET', `/api/v1/jobs?${query}`)).statusCode).toBe(400);
});

test('a search among many jobs looks at a part of them at a time, and comes to every match once', async () => {
  await api.pool.query(
    `INSERT INTO crawl_jobs (kind, payload, status, user_id, completed_at)
     SELECT 'visit', jsonb_build_object('url', 'https://hay.example/' || n),
       (ARRAY['completed', 'failed', 'cancelled'])[n % 3 + 1]::job_status, 'alice', now()
     FROM generate_series(1, 12000) AS n`,
  );
  // On both sides of where a part ends, and at either end.
  const { rows: needles } = await api.pool.query<{ id: string; status: string }>(
    `UPDATE crawl_jobs SET payload = '{"url": "https://needle.example/"}'
     FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS place FROM crawl_jobs) placed
     WHERE crawl_jobs.id = placed.id AND place IN (1, 700, 1499, 1500, 1501, 3000, 3001, 7501, 12000)
     RETURNING crawl_jobs.id, status`,
  );
  expect(needles).toHaveLength(9);
  const walk = async (query: string) => {
    const seen: string[] = [];
    let parts = 0;
    let cursor: string | null = null;
    do {
      const part = await list(
        `${query.includes('limit') ? '' : 'limit=10&'}${query}${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...part.data.map(({ id }) => id));
      cursor = part.next_cursor;
      parts++;
    } while (cursor);
    return { seen, parts };
  };
  const newestFirst = (wanted: typeof needles) =>
    wanted
      .map(({ id }) => id)
      .sort()
      .reverse();
  expect((await walk('search=needle')).seen).toEqual(newestFirst(needles));
  expect((await walk('search=needle&limit=2')).seen).toEqual(newestFirst(needles));
  expect((await walk('search=needle&user_id=alice')).seen).toEqual(newestFirst(needles));
  for (const statuses of [['failed'], ['failed', 'cancelled'], ['completed', 'failed']])
    expect((await walk(`search=NEEDLE&status=${statuses}`)).seen).toEqual(
      newestFirst(needles.filter(({ status }) => statuses.includes(status))),
    );
  // 1,500 rows at a time, or thirty for each that is asked for; fewer of those that are found by their keys.
  expect(await walk('search=nowhere')).toEqual({ seen: [], parts: 9 });
  expect(await walk('search=nowhere&status=failed')).toEqual({ seen: [], parts: 14 });
  expect(await walk('search=nowhere&limit=300')).toEqual({ seen: [], parts: 2 });
});

test('an owner with few jobs, and a status or kind that few have, are found by an index among many jobs', async () => {
  await api.pool.query(
    `INSERT INTO crawl_jobs (kind, payload, status, user_id, completed_at)
     SELECT 'crawl', '{"url": "https://hay.example/"}', 'completed', CASE WHEN n % 2 = 0 THEN 'local' ELSE 'alice' END, now()
     FROM generate_series(1, 50000) AS n`,
  );
  await api.pool.query('ANALYZE crawl_jobs');
  const plan = async (filter: JobSearch, owner?: string) => {
    const explained: string[] = [];
    const explaining = {
      query: async ({ text, values }: { text: string; values?: unknown[] }) => {
        const { rows } = await api.pool.query({ text: `EXPLAIN ${text}`, values: values ?? [] });
        explained.push(...rows.map((row) => row['QUERY PLAN'] as string));
        return { rows: [] };
      },
    };
    await searchJobs(explaining as never, { filter, owner, limit: 50 });
    return explained.join('\n');
  };
  expect(await plan({}, 'bob')).toContain('crawl_jobs_of_owner');
  expect(await plan({ status: ['failed', 'expired'] })).toContain('crawl_jobs_set_aside');
  expect(await plan({ kind: 'collect' })).toContain('crawl_jobs_of_rare_kind');
  expect(await plan({ status: ['failed', 'expired'], search: 'x' })).toContain('crawl_jobs_set_aside');
  for (const filter of [{ search: 'x' }, { status: ['failed', 'expired'], search: 'x' }] as JobSearch[])
    expect(await plan(filter)).not.toContain('Seq Scan on crawl_jobs');
});
