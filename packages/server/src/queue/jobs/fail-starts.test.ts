import { beforeEach, describe, expect, test } from 'vitest';
import { crawlLane, QueueFixture, transient } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { claimJobs } from './claim-jobs.ts';
import { crashJobs } from './crash-jobs.ts';
import { failStarts } from './fail-starts.ts';
import { listEvents, showJob } from './find-jobs.ts';
import { retryJobsLater } from './retry-jobs-later.ts';

const queue = new QueueFixture();
beforeEach(() => queue.pool.query('TRUNCATE workers'));

async function claimed(workerId: string) {
  const lanes = [crawlLane];
  const [job] = await claimJobs(queue.pool, { lanes, limit: 1, workerId, allowPrivate: [] });
  if (!job) throw new Error('nothing to claim');
  return job;
}

/** The job is claimed by a worker, whose runner dies at once. */
async function dies(workerId: string, wasWell = true): Promise<string | undefined> {
  const job = await claimed(workerId);
  const answers = await failStarts(queue.pool, [job], {
    workerId,
    detail: 'exit code 1',
    heartbeatSeconds: 10,
    wasWell,
  });
  return answers.get(job);
}

async function diesOften(workerId: string, times: number): Promise<(string | undefined)[]> {
  const became = [];
  for (let n = 0; n < times; n++) became.push(await dies(workerId));
  return became;
}

const worker = (fields: Record<string, unknown> = {}) => {
  const row = {
    id: 'w2',
    host: 'h',
    boot_id: 'b',
    pid: 1,
    process_start: '1',
    version: '1',
    max_jobs: 1,
    ...fields,
  };
  const columns = Object.keys(row);
  return queue.pool.query(
    `INSERT INTO workers (${columns.join(', ')}) VALUES (${columns.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(row),
  );
};
const last = async (id: string) => (await listEvents(queue.pool, id)).at(-1);

describe('a job whose runner died before its first request', () => {
  test('is ready again at once and burns no retry; its timeline names the worker', async () => {
    const { id } = await queue.enqueueOne({ max_retries: 0 });
    expect(await dies('w1')).toBe('pending');
    expect(await showJob(queue.pool, id)).toMatchObject({ retry_count: 0, run_at: null, worker_id: null });
    expect(await last(id)).toMatchObject({
      transition: 'failStart',
      reason:
        'runner_crashed: The runner process died: before its first request, exit code 1; the worker w1 is to blame, and no retry is burned',
    });
  });

  test('fails when that happened on two workers', async () => {
    await worker({ id: 'w1' });
    const { id } = await queue.enqueueOne();
    expect([await dies('w1'), await dies('w2')]).toEqual(['pending', 'failed']);
    expect(await showJob(queue.pool, id)).toMatchObject({ error_code: 'runner_crashed', retry_count: 0 });
    expect((await last(id))?.reason).toContain('as it did on worker w1');
  });

  test('does not fail on two workers where nothing starts while a third one is well', async () => {
    for (const id of ['w1', 'w2', 'w3']) await worker({ id });
    await queue.enqueueOne();
    const died = async (first: boolean, second: boolean) => [
      await dies('w1', first),
      await dies('w2', second),
    ];
    expect(await died(false, false)).toEqual(['pending', 'pending']);
    expect(await died(false, true)).toEqual(['pending', 'pending']);
    // Runners worked on w2 and work on w1: so it is the job.
    expect(await dies('w1', true)).toBe('failed');
  });

  test('fails on two workers where nothing starts when no other one is well', async () => {
    for (const id of ['w1', 'w2']) await worker({ id });
    await worker({ id: 'w3', trouble: '3 runners in a row died' });
    await queue.pool.query("UPDATE workers SET trouble = 'x' WHERE id IN ('w1', 'w2')");
    await queue.enqueueOne();
    expect([await dies('w1', false), await dies('w2', false)]).toEqual(['pending', 'failed']);
  });

  test('does not fail at once on a worker that was started anew under another name', async () => {
    await worker({ id: 'w1', last_seen: '2000-01-01' });
    await queue.enqueueOne();
    expect([await dies('w1'), await dies('w2'), await dies('w2')]).toEqual(['pending', 'pending', 'pending']);
    expect([await dies('w2'), await dies('w2')]).toEqual(['pending', 'failed']);
  });

  test('fails when that happened five times on the only worker', async () => {
    const { id } = await queue.enqueueOne();
    expect(await diesOften('w1', 5)).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);
    expect((await last(id))?.reason).toContain('; 5 starts in a row failed, and no other worker can try it');
  });

  test('waits for another worker that could try it, however often it dies on one', async () => {
    await worker();
    await queue.enqueueOne();
    expect(new Set(await diesOften('w1', 6))).toEqual(new Set(['pending']));
  });

  test('waits for another worker that may fetch what it needs, however that is spelt', async () => {
    await worker({ allow_private: '{http://intranet}' });
    await queue.enqueueOne({
      kind: 'crawl',
      payload: { url: 'http://intranet/', needs_private: ['HTTP://Intranet:80'] },
    });
    expect(new Set(await diesOften('w1', 6))).toEqual(new Set(['pending']));
  });

  test.each([
    ['is silent', { last_seen: '2000-01-01' }],
    ['drains', { draining: true }],
    ['does one job alone', { max_jobs: 0 }],
    ['does no crawls', { kinds: '{visit,collect}' }],
    ['may not fetch what it needs', { allow_private: '{http://10.0.0.2}' }],
  ])('does not wait for a worker that %s', async (_, fields) => {
    await worker(fields);
    const payload = { url: 'http://10.0.0.1/', needs_private: ['http://10.0.0.1'] };
    await queue.enqueueOne({ kind: 'crawl', payload });
    expect((await diesOften('w1', 5)).at(-1)).toBe('failed');
  });

  test.each([
    ['a later death', crashJobs],
    ['a failed request', retryJobsLater],
  ])('counts anew after %s: that run had started', async (_, end) => {
    await worker({ id: 'w1' });
    const { id } = await queue.enqueueOne({ max_retries: 9 });
    await dies('w1');
    const job = await claimed('w2');
    await end(queue.pool, [{ ...job, error: transient }], 'supervisor:w2');
    await queue.passSeconds(100_000);
    expect(await dies('w2')).toBe('pending');
    expect((await showJob(queue.pool, id)).retry_count).toBe(1);
  });

  test('counts anew after a retry by hand', async () => {
    const { id } = await queue.enqueueOne();
    await diesOften('w1', 5);
    await actOnJob(queue.pool, 'retry', id);
    expect(await dies('w2')).toBe('pending');
  });

  test('is paused when that was asked, whatever happened before', async () => {
    const { id } = await queue.enqueueOne();
    await dies('w1');
    const job = await claimed('w2');
    await actOnJob(queue.pool, 'pause', id);
    const answers = await failStarts(queue.pool, [job], {
      workerId: 'w2',
      detail: 'x',
      heartbeatSeconds: 10,
      wasWell: true,
    });
    expect(answers.get(job)).toBe('paused');
  });
});
