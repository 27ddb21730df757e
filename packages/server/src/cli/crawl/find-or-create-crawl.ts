import { HoldfastError, type Job } from '@holdfast/contract';
import { type Queryable, readNow } from '../../base/database/statement.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { assertMayFetch } from './assert-may-fetch.ts';
import type { CrawlRequest } from './crawl-request.ts';
import { readCrawlView } from './crawl-view.ts';
import { findCrawl } from './find-crawl.ts';
import { setPace } from './set-pace.ts';

/** On whose behalf, and what it may do. */
export interface TakingUp {
  readonly recrawl: boolean;
  readonly actor: string;
  readonly allowPrivate: readonly string[];
}

export interface TakenUp {
  readonly job: Job;
  /** finished: there is nothing left to do but to write its pages. */
  readonly how: 'new' | 'continued' | 'finished';
}

/** Workers that share the database leave a new job to the command that made it for so long; it claims its own at once. */
const ownMs = 60_000;
/** Three tries within seconds: somebody sits and waits. They count anew with every page that comes. */
const shortRetries = { max_retries: 2, retry_backoff_seconds: 1 };
const repeats = 5;

/** The job of this command: the one that is not finished yet, else a new one. */
export async function takeUpCrawl(db: Queryable, request: CrawlRequest, taking: TakingUp): Promise<TakenUp> {
  const { recrawl, actor } = taking;
  for (let attempt = 1; ; attempt++) {
    const found = await findCrawl(db, request);
    if (!found || (found.status === 'completed' && recrawl)) return await create(db, request, actor);
    if (found.status === 'completed') return { job: found, how: 'finished' };
    if (await isBarren(db, found)) return await create(db, request, actor);
    try {
      return { job: await goOn(db, found, request, taking), how: 'continued' };
    } catch (error) {
      // Somebody else did something to the job meanwhile; what now?
      const isOvertaken =
        error instanceof HoldfastError && ['action_not_allowed', 'live_job_exists'].includes(error.code);
      if (!isOvertaken || attempt === repeats) throw error;
    }
  }
}

async function goOn(
  db: Queryable,
  job: Job,
  { pace }: CrawlRequest,
  { actor, allowPrivate }: TakingUp,
): Promise<Job> {
  // Whoever holds it may: that run can be followed.
  if (job.status !== 'processing') assertMayFetch({ ...job.payload, ...pace }, allowPrivate);
  await setPace(db, job.id, pace);
  const options = { actor, reason: 'continued by the same command' };
  if (job.status === 'paused' || job.requested_action === 'pause')
    return await actOnJob(db, 'resume', job.id, options);
  if (['failed', 'cancelled', 'expired'].includes(job.status))
    return await actOnJob(db, 'retry', job.id, options);
  return await showJob(db, job.id);
}

/** It ended without a single page: its seed is done with, so there is nothing to go on from. */
async function isBarren(db: Queryable, job: Job): Promise<boolean> {
  if (!['failed', 'cancelled', 'expired'].includes(job.status)) return false;
  const { fetched, total_pending } = await readCrawlView(db, job.id);
  return fetched === 0 && total_pending === 0;
}

async function create(db: Queryable, request: CrawlRequest, actor: string): Promise<TakenUp> {
  const { job, outcome } = await enqueueJob(
    db,
    {
      kind: 'crawl',
      payload: request.payload,
      dedupe_key: request.key,
      ...shortRetries,
      run_at: new Date((await readNow(db)).getTime() + ownMs).toISOString(),
    },
    actor,
  );
  return { job, how: outcome === 'created' ? 'new' : 'continued' };
}
