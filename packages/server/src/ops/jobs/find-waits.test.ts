import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { runJobsNow } from '../../queue/jobs/run-jobs-now.ts';
import { findWait } from './find-waits.ts';
import { expectedWaits, fillWaits, givenBack, waitingCases } from './testing/waiting-jobs.ts';

const api = new ApiFixture();

beforeEach(() => api.pool.query('TRUNCATE workers, sources CASCADE'));

const waitOf = async (id: string) => findWait(api.pool, await showJob(api.pool, id));
const worker = (fields: string) =>
  api.pool.query(
    `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, max_crawls, kinds, trouble, last_seen)
     SELECT id, 'm', 'b', 1, 's', '1', coalesce(max_jobs, 4), coalesce(max_crawls, 2), coalesce(kinds, '{crawl,visit,collect}'), trouble,
       coalesce(last_seen, now())
     FROM jsonb_populate_record(NULL::workers, $1)`,
    [fields],
  );

describe('a job that waits says for what, until when and what ends it', () => {
  let ids: Awaited<ReturnType<typeof fillWaits>>;
  beforeEach(async () => {
    ids = await fillWaits(api.pool);
  });

  test.each(waitingCases)('%s', async (name) => {
    const [reason, text, hasEnd, ends] = expectedWaits[name];
    const id = ids[name];
    const shown = (await api.call('GET', `/api/v1/jobs/${id}`)).json();
    expect(shown.waiting).toMatchObject({ reason, text });
    expect(shown.waiting.ends).toContain(ends.replace('ID', id));
    expect(shown.waiting.until !== null).toBe(hasEnd);
    if (hasEnd) expect(Date.parse(shown.waiting.until)).toBeGreaterThan(Date.now());
    const { data } = (await api.call('GET', '/api/v1/jobs?limit=100')).json();
    expect(data.find((job: { id: string }) => job.id === id).waiting).toEqual(shown.waiting);
  });

  test('also of several hosts, and of a source that was paused after it was given back', async () => {
    const id = await givenBack(api.pool, 'first.test', 'limit');
    await api.pool.query(`UPDATE crawl_jobs SET blocked_by = blocked_by || '{"hosts": 3}' WHERE id = $1`, [
      id,
    ]);
    expect((await waitOf(id))?.text).toContain('Waits for first.test and 2 more hosts:');
    await api.pool.query(
      `INSERT INTO sources (id, name, paused_until, pause_reason) VALUES ('host:first.test', 'f', 'infinity', 'operator')`,
    );
    expect(await waitOf(id)).toMatchObject({ reason: 'source', cause: 'operator', until: null });
  });
});

test.each([
  ['paused', `paused_until = 'infinity', pause_reason = 'operator'`, 'an operator paused it'],
  ['disabled', 'enabled = false', 'it is disabled'],
])('a collection names its source when that is %s', async (_, set, why) => {
  await api.pool.query(`INSERT INTO sources (id, name) VALUES ('shop', 'shop')`);
  await api.pool.query(`UPDATE sources SET ${set}`);
  const id = await givenBack(api.pool, 'shop.test', 'operator');
  await api.pool.query(
    `UPDATE crawl_jobs SET blocked_by = blocked_by || '{"host": null, "source": "shop"}' WHERE id = $1`,
    [id],
  );
  expect((await waitOf(id))?.text).toBe(`Waits for source shop: ${why}`);
});

describe('a job that is ready', () => {
  let id: string;
  beforeEach(async () => {
    id = (await fillReady())[0] ?? '';
  });

  async function fillReady(kind = 'crawl', count = 1): Promise<string[]> {
    const { rows } = await api.pool.query<{ id: string }>(
      `INSERT INTO crawl_jobs (kind, payload) SELECT $1, '{"url": "https://ready.test/"}' FROM generate_series(1, $2) RETURNING id`,
      [kind, count],
    );
    return rows.map((row) => row.id);
  }

  test.each([
    ['nobody runs', undefined, 'no worker is running'],
    ['a worker is silent', { last_seen: '2020-01-01' }, 'no worker is running'],
    ['a worker does its own job alone', { max_jobs: 0 }, 'no worker is running'],
    [
      'a worker takes visits alone',
      { kinds: '{visit,collect}' },
      'none of those running takes jobs of this kind',
    ],
    ['a worker is sick', { trouble: 'its runners die' }, 'those running are sick'],
  ])('says so when %s', async (_, fields, text) => {
    if (fields) await worker(JSON.stringify({ id: 'w1', ...fields }));
    expect(await waitOf(id)).toMatchObject({ reason: 'worker', text: expect.stringContaining(text) });
  });

  test('waits for room while all workers are busy with jobs that take the same places', async () => {
    await worker(JSON.stringify({ id: 'w1', max_jobs: 10, max_crawls: 2 }));
    const [visit = ''] = await fillReady('visit');
    expect([await waitOf(id), await waitOf(visit)]).toEqual([null, null]);
    const running = await fillReady('crawl', 2);
    await api.pool.query(
      `UPDATE crawl_jobs SET status = 'processing', worker_id = 'w1', lease_expires_at = now() + interval '1 min'
       WHERE id = ANY ($1)`,
      [running],
    );
    expect((await waitOf(id))?.text).toContain('all are busy with other jobs');
    expect(await waitOf(visit)).toBeNull();
  });

  test('needs a worker that may fetch its private origins, and then only room', async () => {
    await worker(JSON.stringify({ id: 'w1' }));
    await api.pool.query(`UPDATE crawl_jobs SET waits_for = '{http://10.0.0.1}' WHERE id = $1`, [id]);
    expect((await waitOf(id))?.reason).toBe('origin');
    await api.pool.query(`UPDATE workers SET allow_private = '{http://10.0.0.1,http://10.0.0.2}'`);
    expect(await waitOf(id)).toBeNull();
  });
});

test('a job that runs, is paused or has ended waits for nothing', async () => {
  const id = await givenBack(api.pool, 'x.test', 'limit');
  for (const status of ['paused', 'cancelled', 'processing'] as const) {
    const job = { ...(await showJob(api.pool, id)), status };
    expect(await findWait(api.pool, job)).toBeNull();
  }
});

test('a wait that was ended leaves no trace', async () => {
  const id = await givenBack(api.pool, 'broken.test', 'failures', true);
  await runJobsNow(api.pool, [id], 'user:ann');
  expect(await waitOf(id)).toMatchObject({ reason: 'worker' });
});
