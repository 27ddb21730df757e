import { HoldfastError, type JobRequest } from '@holdfast/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  actor,
  collectLane,
  crawlLane,
  QueueFixture,
} from '../../../../../test/queue-fixture/queue-fixture.ts';
import {
  configureAndWake,
  pauseAndNotify,
  resumeAndWake,
  resumeSource,
} from '../../governor/sources/change-source.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';
import { openSources } from '../../governor/sources/open-sources.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { retryJobsLater } from '../../queue/jobs/retry-jobs-later.ts';
import { actOnJob, actOnJobs } from './act-on-job.ts';
import { blockedAt, fillWaits, givenBack } from './testing/waiting-jobs.ts';

const queue = new QueueFixture();
beforeEach(() => queue.pool.query('TRUNCATE sources, workers CASCADE'));

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const ann = { actor: 'user:ann' };
const claimed = async (lanes = [crawlLane]) =>
  (await claimJobs(queue.pool, { lanes, limit: 100, workerId: 'w1' })).map(({ id }) => id);
const sourceNow = async (id: string) =>
  (
    await queue.pool.query('SELECT pause_reason, paused_until > now() AS paused FROM sources WHERE id = $1', [
      id,
    ])
  ).rows[0];

describe('run-now', () => {
  test.each(['schedule', 'retry', 'host with a limit', 'host without robots.txt'] as const)(
    'ends the wait of a job (%s): it is ready, keeps its retries, and its timeline says who did it',
    async (name) => {
      const id = (await fillWaits(queue.pool))[name];
      const before = await showJob(queue.pool, id);
      const job = await actOnJob(queue.pool, 'runNow', id, { ...ann, reason: 'it is mended' });
      expect(job).toMatchObject({
        status: 'pending',
        run_at: null,
        next_retry_at: null,
        blocked_by: null,
        retry_count: before.retry_count,
        fence: before.fence,
      });
      expect((await listEvents(queue.pool, id)).at(-1)).toMatchObject({
        transition: 'runNow',
        from_status: before.status,
        to_status: 'pending',
        fence: before.fence,
        actor: 'user:ann',
        reason: 'it is mended',
      });
      expect(await claimed()).toContain(id);
    },
  );

  test('of a job whose host failed again and again lets one request through there', async () => {
    const id = (await fillWaits(queue.pool))['host after failures'];
    expect((await actOnJob(queue.pool, 'runNow', id)).run_at).toBeNull();
    expect(await sourceNow('host:broken.test')).toEqual({ pause_reason: 'failures', paused: false });
  });

  test('does not end what a host asked for', async () => {
    const id = (await fillWaits(queue.pool))['host that asked for it'];
    expect((await actOnJob(queue.pool, 'runNow', id)).run_at).toBeNull();
    expect(await sourceNow('host:busy.test')).toEqual({ pause_reason: 'retry_after', paused: true });
  });

  test.each([
    ['paused source', 'holdfast sources resume host:paused.test'],
    ['disabled source', 'holdfast sources set host:off.test --enable'],
    ['bot and a paused source', 'holdfast sources resume host:bots.test'],
  ] as const)('does not overrule an operator (%s), and names the way', async (name, hint) => {
    const id = (await fillWaits(queue.pool))[name];
    const before = await showJob(queue.pool, id);
    await expect(actOnJob(queue.pool, 'runNow', id)).rejects.toMatchObject({
      code: 'action_not_allowed',
      hint: expect.stringContaining(hint),
    });
    expect(await actOnJobs(queue.pool, 'runNow', [id])).toEqual([]);
    expect(await showJob(queue.pool, id)).toEqual(before);
  });

  test('starts a crawl that waits for several hosts of which an operator paused one', async () => {
    const id = (await fillWaits(queue.pool))['paused source'];
    await queue.pool.query(
      `UPDATE crawl_jobs SET blocked_by = blocked_by || '{"sources": ["host:paused.test", "host:broken.test"]}' WHERE id = $1`,
      [id],
    );
    expect((await actOnJob(queue.pool, 'runNow', id)).run_at).toBeNull();
  });

  test('of a job that is ready changes nothing, and may be repeated', async () => {
    const { id } = await queue.enqueueOne({ run_at: inAnHour() });
    const first = await actOnJob(queue.pool, 'runNow', id);
    expect(await actOnJob(queue.pool, 'runNow', id)).toEqual(first);
    expect(await listEvents(queue.pool, id)).toHaveLength(2);
  });

  test('is refused where there is nothing to start, with what can be done', async () => {
    const { id } = await queue.claimedOne();
    const refused = (hint: string) =>
      expect(actOnJob(queue.pool, 'runNow', id)).rejects.toMatchObject({
        code: 'action_not_allowed',
        hint: expect.stringContaining(hint),
      });
    await refused('pause, cancel');
    await actOnJob(queue.pool, 'resetLock', id);
    await actOnJob(queue.pool, 'pause', id);
    await refused('resume');
    await actOnJob(queue.pool, 'cancel', id);
    await refused('retry');
  });
});

describe('to resume a source', () => {
  const acting = () => ({ db: queue.pool, notifier: new Notifier(queue.pool), actor: 'user:ann' });

  test('starts the jobs that wait for it, of every kind, and no others', async () => {
    const host = 'host:paused.test';
    const ids = await fillWaits(queue.pool);
    const other = await givenBack(queue.pool, 'broken.test', 'failures', true);
    const request = { kind: 'collect', payload: {}, source_id: host } as JobRequest;
    const asked = await queue.enqueueOne(request);
    const collect = await queue.claimOne([collectLane]);
    await retryJobsLater(queue.pool, [{ ...collect, error: new HoldfastError('site_error') }], actor);
    const staggered = await queue.enqueueOne({ ...request, run_at: inAnHour() });
    await resumeAndWake(acting(), host);
    const ready = await claimed([crawlLane, collectLane]);
    expect(new Set(ready)).toEqual(new Set([ids['paused source'], asked.id, ids.worker]));
    expect(ready).not.toContain(staggered.id);
    expect((await showJob(queue.pool, other)).run_at).not.toBeNull();
    expect((await listEvents(queue.pool, ids['paused source'])).at(-2)).toMatchObject({
      transition: 'runNow',
      actor: 'user:ann',
      reason: `source ${host} was resumed`,
    });
  });

  test('starts more of them than one statement takes', async () => {
    await openSources(queue.pool, ['paused.test']);
    const by = JSON.stringify(blockedAt('paused.test', 'operator', true));
    await queue.pool.query(
      `INSERT INTO crawl_jobs (kind, payload, run_at, blocked_by)
       SELECT 'visit', '{"url": "https://paused.test/"}', now() + interval '1 h', $1 FROM generate_series(1, 2500)`,
      [by],
    );
    await resumeAndWake(acting(), 'host:paused.test');
    const { rows } = await queue.pool.query('SELECT count(*) AS n FROM crawl_jobs WHERE run_at IS NOT NULL');
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('and to enable one, but not to change it otherwise', async () => {
    const id = (await fillWaits(queue.pool))['disabled source'];
    await configureAndWake(acting(), 'host:off.test', { concurrency: 2 });
    expect((await showJob(queue.pool, id)).run_at).not.toBeNull();
    await configureAndWake(acting(), 'host:off.test', { enabled: true });
    expect((await showJob(queue.pool, id)).run_at).toBeNull();
  });

  test('does not miss a job that is being given back', async () => {
    const host = 'host:paused.test';
    await openSources(queue.pool, ['paused.test']);
    await pauseAndNotify(acting(), host);
    const release = async () => {
      const job = await queue.claimedOne();
      const blockedBy = blockedAt('paused.test', 'operator', true);
      await releaseJobs(queue.pool, [{ ...job, reason: 'x', notBeforeSeconds: 600, blockedBy }], actor);
      return (await showJob(queue.pool, job.id)).run_at;
    };
    expect(await release()).not.toBeNull();
    await resumeSource(queue.pool, host);
    expect(await release()).toBeNull();
    await configureSource(queue.pool, host, { enabled: false });
    expect(await release()).not.toBeNull();
  });

  test('waits for a job that is just then being given back', async () => {
    const host = 'host:paused.test';
    await openSources(queue.pool, ['paused.test']);
    await pauseAndNotify(acting(), host);
    const job = await queue.claimedOne();
    const client = await queue.pool.connect();
    await client.query('BEGIN');
    const blockedBy = blockedAt('paused.test', 'operator', true);
    await releaseJobs(client, [{ ...job, reason: 'x', notBeforeSeconds: 600, blockedBy }], actor);
    const resuming = resumeAndWake(acting(), host);
    await expect
      .poll(async () => {
        const { rows } = await queue.pool.query(
          `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows[0].n;
      })
      .toBeGreaterThan(0);
    await client.query('COMMIT');
    client.release();
    await resuming;
    expect((await showJob(queue.pool, job.id)).run_at).toBeNull();
  });
});
