import type { JobRequest, JobStatus } from '@holdfast/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { pauseAndNotify } from '../../packages/server/src/governor/sources/change-source.ts';
import { openSources } from '../../packages/server/src/governor/sources/open-sources.ts';
import { enqueueJob, enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { listEvents, showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { addIntake, addSource } from '../../packages/server/src/shop/collect/testing/collect-fixture.ts';
import { enqueueIntakes } from '../../packages/server/src/shop/intakes/enqueue-intakes.ts';
import { findIntake } from '../../packages/server/src/shop/intakes/find-intakes.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { WorkerProcess } from '../crawl-fixture/worker-process.ts';

/*
 * An idle worker starts what a person ends the wait of within a second: measured 10 to 60 ms from the event `runNow` to the claim. The
 * bound here is for busy machines. Polling alone would not keep it: the worker looks only every 30 s.
 */
const boundSeconds = 10;

const api = new ListeningApi();
/** One for each test: what a worker knows of a source outlives its row for some seconds. */
const shops: LocalSite[] = [];
let shop: LocalSite;
let worker: WorkerProcess;
let robots = 200;
let turn = 0;

const startShop = () =>
  startSite((request, response) => {
    const path = request.url ?? '';
    if (path === '/robots.txt') return response.writeHead(robots).end('');
    if (path.startsWith('/api')) return response.end('{"items": []}');
    response.setHeader('content-type', 'text/html');
    response.end(
      `<title>Kettle</title><main><p>A kettle.</p></main><script type="application/ld+json">{"@type":"Product","name":"Kettle",
       "offers":{"@type":"Offer","price":"20.00","priceCurrency":"EUR"}}</script>`,
    );
  });

beforeAll(async () => {
  for (let n = 0; n < 12; n++) shops.push(await startShop());
  worker = new WorkerProcess(api.databaseUrl ?? '', {
    HOLDFAST_ALLOW_PRIVATE: shops.map(({ origin }) => origin).join(','),
    HOLDFAST_POLL_SECONDS: '30',
    HOLDFAST_SHARE_SECONDS: '1',
  });
  await worker.saying(/is ready/);
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await Promise.all(shops.map((each) => each.close()));
});
beforeEach(() => {
  robots = 200;
  shop = shops[++turn % shops.length] as LocalSite;
});

const source = () => `host:${new URL(shop.origin).host}`;
const acting = () => ({ db: api.pool, notifier: new Notifier(api.pool), actor: 'user:ann' });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const post = (path: string) => api.json(path, { method: 'POST' });

async function pausedSource(): Promise<void> {
  await openSources(api.pool, [new URL(shop.origin).host]);
  await pauseAndNotify(acting(), source());
}

async function submit(request: Partial<JobRequest>): Promise<string> {
  const url = `${shop.origin}/kettle`;
  const { job } = await enqueueJob(api.pool, { payload: { url }, ...request } as JobRequest);
  await new Notifier(api.pool).notify('work');
  return job.id;
}

const database = () => ({ pool: api.pool }) as Parameters<typeof addSource>[0];

async function collectable(id: string): Promise<void> {
  const fields = { price: 'price', currency: 'currency' };
  const config = { url: `${shop.origin}/api?q={title}`, items: 'items', fields };
  await addSource(database(), id, { adapter_type: 'json', config });
}

/** The job that asks this source. */
async function collection(source_id: string, run_at?: string): Promise<string> {
  const intake = await findIntake(api.pool, await addIntake(database(), { title: 'kettle' }));
  const made = await enqueueIntakes(api.pool, [intake], { staggerSeconds: 0 }, (requests) =>
    enqueueJobs(
      api.pool,
      requests.map((request) => ({ ...request, ...(run_at && { run_at }) })),
    ),
  );
  return made.find(({ job }) => job.source_id === source_id)?.job.id ?? '';
}

async function pull(): Promise<string[]> {
  const body = { bot_id: 'bot-1', max_jobs: 1 };
  const answer = await api.json('/api/crawl/pull/', { method: 'POST', body });
  return answer.body.data.jobs.map(({ job_id }: { job_id: string }) => job_id);
}

/** Seconds until a bot that pulls again and again gets a job, and which. */
async function untilPulled(): Promise<{ seconds: number; pulled: string[] }> {
  const started = performance.now();
  const pulled: string[] = [];
  await vi.waitUntil(async () => pulled.push(...(await pull())) > 0, { timeout: 60_000, interval: 20 });
  return { seconds: (performance.now() - started) / 1000, pulled };
}

/** Tells what became of the job when it does not come to this. */
async function until(id: string, reached: (job: Awaited<ReturnType<typeof showJob>>) => boolean) {
  try {
    await vi.waitUntil(async () => reached(await showJob(api.pool, id)), { timeout: 40_000, interval: 20 });
  } catch (cause) {
    const events = (await listEvents(api.pool, id)).map(({ at, transition, to_status, reason }) =>
      [at.toISOString(), transition, to_status, reason].join(' '),
    );
    const lines = worker.lines.slice(-20).map(({ msg }) => msg);
    throw new Error(`${id} did not come to it:\n${[...events, ...lines].join('\n')}`, { cause });
  }
}
const reaches = (id: string, ...statuses: JobStatus[]) =>
  until(id, ({ status }) => statuses.includes(status));

/** Seconds from the end of the wait to the claim, by the database's clock. */
async function secondsToStart(id: string): Promise<number> {
  const { rows } = await api.pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM claim.at - now.at)::float8 AS seconds FROM job_events now JOIN job_events claim USING (job_id)
     WHERE now.job_id = $1 AND now.transition = 'runNow' AND claim.event_no = now.event_no + 1 AND claim.transition = 'claim'`,
    [id],
  );
  return rows[0]?.seconds ?? Number.NaN;
}

describe('to resume a source starts', () => {
  test.each([
    ['a crawl', { kind: 'crawl' }],
    ['a visit', { kind: 'visit' }],
  ] as const)('%s that waits for it', async (_, request) => {
    await pausedSource();
    const id = await submit(request);
    await until(id, ({ run_at, status }) => status === 'pending' && run_at !== null);
    const { body } = await api.json(`/api/v1/jobs/${id}`);
    expect(body.waiting).toMatchObject({ reason: 'source', cause: 'operator', source_id: source() });
    await post(`/api/v1/sources/${source()}/resume`);
    await reaches(id, 'completed');
    expect(await secondsToStart(id)).toBeLessThan(boundSeconds);
  });

  test('a collection that waits for it, also by the command line', async () => {
    await collectable('kettles');
    await pauseAndNotify(acting(), 'kettles');
    const id = await collection('kettles');
    await new Notifier(api.pool).notify('work');
    await until(id, ({ run_at, status }) => status === 'pending' && run_at !== null);
    await runHoldfast(['sources', 'resume', 'kettles'], { DATABASE_URL: api.databaseUrl ?? '' });
    await reaches(id, 'completed');
    expect(await secondsToStart(id)).toBeLessThan(boundSeconds);
  });

  test('a visit that a bot asks for, with its next pull', async () => {
    await pausedSource();
    const id = await submit({ kind: 'visit', executor: 'bot' });
    expect(await pull()).toEqual([]);
    await post(`/api/v1/sources/${source()}/resume`);
    const { seconds, pulled } = await untilPulled();
    expect(pulled).toEqual([id]);
    expect(seconds).toBeLessThan(boundSeconds);
  });
});

describe('run-now starts', () => {
  test.each([
    ['a crawl', { kind: 'crawl' }],
    ['a visit', { kind: 'visit' }],
  ] as const)('%s before its time', async (_, request) => {
    const id = await submit({ ...request, run_at: inAnHour() } as Partial<JobRequest>);
    expect((await post(`/api/v1/jobs/${id}/run-now`)).body).toMatchObject({
      status: 'pending',
      run_at: null,
    });
    await reaches(id, 'completed');
    expect(await secondsToStart(id)).toBeLessThan(boundSeconds);
  });

  test('a collection before its time', async () => {
    await collectable('lamps');
    const id = await collection('lamps', inAnHour());
    await post(`/api/v1/jobs/${id}/run-now`);
    await reaches(id, 'completed');
    expect(await secondsToStart(id)).toBeLessThan(boundSeconds);
  });

  test('a visit of a bot before its time, with its next pull', async () => {
    const id = await submit({ kind: 'visit', executor: 'bot', run_at: inAnHour() });
    expect(await pull()).toEqual([]);
    await runHoldfast(['jobs', 'run-now', id], { DATABASE_URL: api.databaseUrl ?? '' });
    const { seconds, pulled } = await untilPulled();
    expect(pulled).toEqual([id]);
    expect(seconds).toBeLessThan(boundSeconds);
  });

  test.each([
    ['a crawl', { kind: 'crawl' }],
    ['a visit', { kind: 'visit' }],
  ] as const)('%s that waits for a robots.txt, which it asks anew', async (_, request) => {
    robots = 503;
    const id = await submit(request);
    await reaches(id, 'retryable');
    const { body } = await api.json(`/api/v1/jobs/${id}`);
    expect(body.waiting).toMatchObject({ reason: 'host', cause: 'robots', host: new URL(shop.origin).host });
    robots = 200;
    await runHoldfast(['jobs', 'run-now', id], { DATABASE_URL: api.databaseUrl ?? '' });
    await reaches(id, 'completed');
    expect(await secondsToStart(id)).toBeLessThan(boundSeconds);
  });

  test('a crawl whose host is left alone after failures, which gets one request at once', async () => {
    await openSources(api.pool, [new URL(shop.origin).host]);
    await api.pool.query(
      `UPDATE sources SET paused_until = now() + interval '1 h', pause_reason = 'failures'`,
    );
    const id = await submit({ kind: 'crawl' });
    await until(id, ({ run_at, status }) => status === 'pending' && run_at !== null);
    await post(`/api/v1/jobs/${id}/run-now`);
    await reaches(id, 'completed');
    expect(await secondsToStart(id)).toBeLessThan(boundSeconds);
  });

  test('no job that waits for what an operator paused: it says how to resume that', async () => {
    await pausedSource();
    const id = await submit({ kind: 'crawl' });
    await until(id, ({ run_at, status }) => status === 'pending' && run_at !== null);
    const { status, body } = await post(`/api/v1/jobs/${id}/run-now`);
    expect([status, body.error]).toMatchObject([
      409,
      { code: 'action_not_allowed', hint: expect.stringContaining(`holdfast sources resume ${source()}`) },
    ]);
    const told = await runHoldfast(['jobs', 'run-now', id], { DATABASE_URL: api.databaseUrl ?? '' });
    expect([told.exit, told.stderr]).toEqual([
      4,
      expect.stringContaining(`holdfast sources resume ${source()}`),
    ]);
  });
});
