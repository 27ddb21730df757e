import { HoldfastError, type HostCause, type JobKind, type JobRequest } from '@holdfast/contract';
import type pg from 'pg';
import { pauseSource } from '../../../governor/sources/change-source.ts';
import { configureSource } from '../../../governor/sources/configure-source.ts';
import { openSources } from '../../../governor/sources/open-sources.ts';
import { claimOneJob } from '../../../queue/jobs/claim-one-job.ts';
import { enqueueJob } from '../../../queue/jobs/enqueue-jobs.ts';
import type { HeldJob } from '../../../queue/jobs/held-job.ts';
import { releaseJobs } from '../../../queue/jobs/release-jobs.ts';
import { retryJobsLater } from '../../../queue/jobs/retry-jobs-later.ts';
import type { BlockedBy } from '../../../queue/jobs/waiting-jobs.ts';

const actor = 'supervisor:w1';
const privateOrigin = 'http://10.0.0.1';

export function blockedAt(host: string, cause: HostCause, isPaused = false): BlockedBy {
  const source = `host:${host}`;
  return { cause, host, source, hosts: 1, sources: [source], paused: isPaused ? [source] : [] };
}

async function enqueued(db: pg.Pool, kind: JobKind, host: string, more: Partial<JobRequest> = {}) {
  const payload = { url: `https://${host}/` };
  return (await enqueueJob(db, { kind, payload, user_id: 'local', ...more } as JobRequest)).job.id;
}

async function held(db: pg.Pool, kind: JobKind, host: string): Promise<HeldJob> {
  const id = await enqueued(db, kind, host);
  const lanes = [{ kind, executor: 'builtin', leaseSeconds: 60 } as const];
  const [job] = await claimOneJob(db, id, { lanes, workerId: 'w1' });
  if (!job) throw new Error('nothing to claim');
  return job;
}

/** A job that was released for an hour because its host is blocked. */
export async function givenBack(db: pg.Pool, host: string, cause: HostCause, isPaused = false) {
  const job = await held(db, 'crawl', host);
  const blockedBy = blockedAt(host, cause, isPaused);
  await releaseJobs(db, [{ ...job, reason: 'waits', notBeforeSeconds: 3600, blockedBy }], actor);
  return job.id;
}

async function failed(db: pg.Pool, host: string, error: HoldfastError, cause: HostCause) {
  const job = await held(db, 'crawl', host);
  await retryJobsLater(db, [{ ...job, error, blockedBy: blockedAt(host, cause) }], actor);
  return job.id;
}

async function heldBack(db: pg.Pool, host: string, set: string) {
  await openSources(db, [host]);
  await db.query(`UPDATE sources SET ${set} WHERE id = $1`, [`host:${host}`]);
}

/** One job for each reason to wait, except those that depend on workers, by name. */
export async function fillWaits(db: pg.Pool) {
  await heldBack(db, 'broken.test', `paused_until = now() + interval '5 min', pause_reason = 'failures'`);
  await heldBack(db, 'busy.test', `paused_until = now() + interval '10 min', pause_reason = 'retry_after'`);
  for (const host of ['paused.test', 'bots.test']) {
    await openSources(db, [host]);
    await pauseSource(db, `host:${host}`);
  }
  await configureSource(db, 'host:off.test', { hosts: ['off.test'], enabled: false });
  const unreachable = new HoldfastError('robots_unreachable', 'https://dark.test/robots.txt: HTTP 503');
  const origins = await held(db, 'crawl', 'inside.test');
  await releaseJobs(db, [{ ...origins, reason: 'forbidden', waitsFor: [privateOrigin] }], actor);
  const run_at = new Date(Date.now() + 3_600_000).toISOString();
  return {
    schedule: await enqueued(db, 'crawl', 'later.test', { run_at }),
    retry: await failed(db, 'failing.test', new HoldfastError('site_error', 'HTTP 500'), 'tries'),
    'host after failures': await givenBack(db, 'broken.test', 'failures', true),
    'host that asked for it': await givenBack(db, 'busy.test', 'retry_after', true),
    'host with a limit': await givenBack(db, 'slow.test', 'limit'),
    'host without robots.txt': await failed(db, 'dark.test', unreachable, 'robots'),
    'paused source': await givenBack(db, 'paused.test', 'operator', true),
    'disabled source': await givenBack(db, 'off.test', 'disabled', true),
    'private origin': origins.id,
    bot: await enqueued(db, 'visit', 'shop.test', { executor: 'bot' } as Partial<JobRequest>),
    'bot and a paused source': await enqueued(db, 'visit', 'bots.test', {
      executor: 'bot',
    } as Partial<JobRequest>),
    worker: await enqueued(db, 'crawl', 'ready.test'),
  };
}
type WaitingCase = keyof Awaited<ReturnType<typeof fillWaits>>;

/** The expected wait of each: reason, part of the text, whether it ends at a time, and what ends it. */
export const expectedWaits: Readonly<
  Record<WaitingCase, readonly [reason: string, text: string, hasEnd: boolean, ends: string]>
> = {
  schedule: ['schedule', 'Waits for its scheduled start', true, 'holdfast jobs run-now ID'],
  retry: [
    'retry',
    'Waits for retry 1 of 3: site_error: The site answered with a server error (5xx): HTTP 500',
    true,
    'holdfast jobs run-now ID',
  ],
  'host after failures': [
    'host',
    'Waits for broken.test: paused after repeated failures',
    true,
    'holdfast jobs run-now ID',
  ],
  'host that asked for it': [
    'host',
    'Waits for busy.test: the site asked for a pause (Retry-After)',
    true,
    'holdfast sources resume host:busy.test',
  ],
  'host with a limit': [
    'host',
    'Waits for slow.test: its rate limit or delay allows no request yet',
    true,
    'holdfast sources show host:slow.test',
  ],
  'host without robots.txt': [
    'host',
    'Waits for dark.test (retry 1 of 3): robots_unreachable: robots.txt is unreachable; crawling is on hold: https://dark.test/robots.txt: HTTP 503',
    true,
    'holdfast jobs run-now ID',
  ],
  'paused source': [
    'source',
    'Waits for paused.test: an operator paused source host:paused.test',
    false,
    'holdfast sources resume host:paused.test',
  ],
  'disabled source': [
    'source',
    'Waits for off.test: source host:off.test is disabled',
    false,
    'holdfast sources set host:off.test --enable',
  ],
  'private origin': [
    'origin',
    'Needs http://10.0.0.1 on a private network, and no running worker may fetch that',
    false,
    'HOLDFAST_ALLOW_PRIVATE=http://10.0.0.1 holdfast worker',
  ],
  bot: ['bot', 'Waits for a bot', false, 'The next bot that pulls gets it'],
  'bot and a paused source': [
    'source',
    'Waits for bots.test: an operator paused source host:bots.test',
    false,
    'holdfast sources resume host:bots.test',
  ],
  worker: ['worker', 'Waits for a worker: no worker is running', false, 'holdfast worker'],
};
export const waitingCases = Object.keys(expectedWaits) as WaitingCase[];
