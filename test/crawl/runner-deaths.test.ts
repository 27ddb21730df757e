import { beforeEach, describe, expect, test, vi } from 'vitest';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { listEvents, showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const fixture = new CrawlFixture({ pages: 300, delayMs: 40 });
const requestsReach = (count: number) =>
  vi.waitUntil(() => fixture.site.requests.length >= count, { timeout: 20_000, interval: 2 });
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Tests end their worker, or start one with other settings. */
beforeEach(async () => {
  await fixture.worker?.end('SIGTERM');
  await fixture.pool.query('TRUNCATE crawl_jobs, job_events');
  await fixture.startWorker().saying(/is ready/);
});

/** Starts a crawl and waits until it is well under way. */
async function running(fields: Parameters<CrawlFixture['crawl']>[2] = {}) {
  const before = fixture.site.requests.length;
  const { id } = await fixture.crawl('/', { discover: false }, fields);
  await requestsReach(before + 40);
  return id;
}

describe('a supervisor', () => {
  test('ends a runner that hangs, and the crawl goes on in another', async () => {
    const id = await running();
    const runner = fixture.worker?.runnerPid ?? 0;
    process.kill(runner, 'SIGSTOP');
    const done = await fixture.reaches(id, 'completed');
    expect(isAlive(runner)).toBe(false);
    const reasons = (await listEvents(fixture.pool, id)).map(
      ({ transition, reason }) => `${transition}: ${reason}`,
    );
    expect(reasons).toContainEqual(expect.stringMatching(/^crash: runner_hung/));
    expect(done.retry_count).toBe(0);
    await checkInvariants(fixture.pool, id);
  });

  test('ends a run that exceeds its time, with its own error code', async () => {
    const { id } = await fixture.crawl('/', { discover: false }, { timeout_seconds: 1, max_retries: 0 });
    expect(await fixture.reaches(id, 'failed', 'completed')).toMatchObject({
      status: 'failed',
      error_code: 'run_timed_out',
    });
    await fixture.worker?.saying('A runner died; its job has failed: no retries left');
  });

  test('does not say that a job is tried again when an operator took it away', async () => {
    const id = await running();
    await actOnJob(fixture.pool, 'expire', id, { actor: 'user:test' });
    // Whoever notices first: the runner, whose checkpoint is refused, or the supervisor, which then ends it.
    await fixture.worker?.saying(/^(Run ended: lost|A runner was ended; it had lost its job before)$/);
    const said = fixture.worker?.lines.filter(({ job }) => job === id).map(({ msg }) => msg);
    expect(said).not.toContainEqual(expect.stringContaining('tried again'));
  });

  test('keeps its crawl going while its database connections are cut again and again', async () => {
    const id = await running();
    for (let cut = 0; cut < 5; cut++) {
      await fixture.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'holdfast%'
           AND application_name <> 'holdfast test'`,
      );
      await requestsReach(fixture.site.requests.length + 10);
    }
    const done = await fixture.reaches(id, 'completed');
    expect(fixture.worker?.hasExited).toBe(false);
    expect(done.retry_count).toBe(0);
    await checkInvariants(fixture.pool, id);
  });

  test('that is killed leaves no runner behind after five seconds, and its job goes on elsewhere', async () => {
    const id = await running();
    const runner = fixture.worker?.runnerPid ?? 0;
    await fixture.worker?.end('SIGKILL');
    await vi.waitUntil(() => !isAlive(runner), { timeout: 6_000, interval: 20 });
    const { transition, reason } = (await listEvents(fixture.pool, id)).at(-1) ?? {};
    expect([transition, reason]).toEqual(['release', 'the supervisor is gone']);
    fixture.startWorker();
    await fixture.reaches(id, 'completed');
    await checkInvariants(fixture.pool, id);
  });

  test('ends a runner that needs too much memory, with its own error code', async () => {
    await fixture.worker?.end('SIGTERM');
    fixture.startWorker({ HOLDFAST_RUNNER_MEMORY_MB: '64' });
    const { id } = await fixture.crawl('/', { discover: false }, { max_retries: 0 });
    await fixture.reaches(id, 'failed', 'completed');
    expect((await showJob(fixture.pool, id)).error_code).toBe('runner_out_of_memory');
  });
});
