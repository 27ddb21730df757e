import { HoldfastError, type Job } from '@holdfast/contract';
import type pg from 'pg';
import { type Queryable, readNow, run, statement } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { sameSeeds } from '../../crawl/frontier/open-frontier.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { jobColumns, showJob } from '../../queue/jobs/find-jobs.ts';
import { createUnnamed, findProfile, replaceUnnamed } from '../../queue/profiles/profiles.ts';
import { crawlKeyOf02 } from '../../web/urls/crawl-key.ts';
import type { CrawlRequest } from './crawl-request.ts';
import { readCrawlView } from './crawl-view.ts';
import { assertMayFetch } from './private-origins.ts';

interface CrawlStartOptions {
  readonly recrawl: boolean;
  readonly actor: string;
  readonly allowPrivate: readonly string[];
  readonly store: SecretStore;
}

export interface CrawlStart {
  readonly job: Job;
  /** finished: only its pages are left to write. */
  readonly how: 'new' | 'continued' | 'finished';
}

/** Workers leave a new job alone for this long; the command that created it claims it at once. */
const ownMs = 60_000;
/** Three attempts within seconds, because a person waits; every saved page resets the count. */
const shortRetries = { max_retries: 2, retry_backoff_seconds: 1 };
const repeats = 5;

/** The unfinished job of this command, otherwise a new one. */
export async function findOrCreateCrawl(
  db: pg.Pool,
  request: CrawlRequest,
  options: CrawlStartOptions,
): Promise<CrawlStart> {
  const { recrawl } = options;
  for (let attempt = 1; ; attempt++) {
    const found = await findCrawl(db, request);
    if (!found || (found.status === 'completed' && recrawl)) return await create(db, request, options);
    if (found.status === 'completed') return { job: found, how: 'finished' };
    if (await isEmpty(db, found)) return await create(db, request, options);
    try {
      return { job: await continueCrawl(db, found, request, options), how: 'continued' };
    } catch (error) {
      // Another process changed the job in the meantime: decide again.
      const isOvertaken =
        error instanceof HoldfastError && ['action_not_allowed', 'live_job_exists'].includes(error.code);
      if (!isOvertaken || attempt === repeats) throw error;
    }
  }
}

async function continueCrawl(
  db: pg.Pool,
  job: Job,
  { pace, secrets }: CrawlRequest,
  { actor, allowPrivate, store }: CrawlStartOptions,
): Promise<Job> {
  // A run that is under way can be followed.
  if (job.status !== 'processing') assertMayFetch({ ...job.payload, ...pace }, allowPrivate);
  await setPace(db, job.id, pace);
  const { unnamed_profile } = job.payload;
  if (secrets && typeof unnamed_profile === 'string')
    await replaceUnnamed(db, store, unnamed_profile, { ...secrets, user_id: job.user_id });
  const options = { actor, reason: 'continued by the same command' };
  if (job.status === 'paused' || job.requested_action === 'pause')
    return await actOnJob(db, 'resume', job.id, options);
  if (['failed', 'cancelled', 'expired'].includes(job.status))
    return await actOnJob(db, 'retry', job.id, options);
  return await showJob(db, job.id);
}

/** It ended without a single page, so there is nothing to continue from. */
async function isEmpty(db: Queryable, job: Job): Promise<boolean> {
  if (!['failed', 'cancelled', 'expired'].includes(job.status)) return false;
  const { fetched, total_pending } = await readCrawlView(db, job.id);
  return fetched === 0 && total_pending === 0;
}

async function create(
  db: pg.Pool,
  { payload, secrets, key }: CrawlRequest,
  { actor, store }: CrawlStartOptions,
): Promise<CrawlStart> {
  const { profile } = payload;
  if (profile !== undefined) await findProfile(db, 'local', profile);
  const made = secrets && {
    unnamed_profile: await createUnnamed(db, store, { ...secrets, user_id: 'local' }),
  };
  const { job, outcome } = await enqueueJob(
    db,
    {
      kind: 'crawl',
      payload: { ...payload, ...made },
      dedupe_key: key,
      ...shortRetries,
      run_at: new Date((await readNow(db)).getTime() + ownMs).toISOString(),
    },
    actor,
  );
  return { job, how: outcome === 'created' ? 'new' : 'continued' };
}

const findStatement = statement<Job>(
  'find-crawl',
  `
SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs WHERE user_id = 'local' AND kind = 'crawl'
  AND (dedupe_key = $1 OR (dedupe_key = $2 AND ${sameSeeds('payload', '$3::jsonb')}))
ORDER BY status IN ('pending', 'processing', 'retryable', 'paused') DESC, id DESC LIMIT 1`,
);

/** The live job of this command, otherwise the newest one, also under the key of version 0.2. */
async function findCrawl(
  db: Queryable,
  { key, options }: Pick<CrawlRequest, 'key' | 'options'>,
): Promise<Job | undefined> {
  const { url, urls } = options;
  return (await run(db, findStatement, [key, crawlKeyOf02(options), JSON.stringify({ url, urls })]))[0];
}

const fields = [
  'concurrency',
  'delay_ms',
  'page_timeout_seconds',
  'attempts',
  'user_agent',
  'proxy',
  'on_block',
];

const paceStatement = statement(
  'set-crawl-pace',
  `
UPDATE crawl_jobs SET payload = (payload - $2::text[]) || $3::jsonb
WHERE id = $1 AND status <> 'processing' AND payload <> (payload - $2::text[]) || $3::jsonb`,
);

/** The next run uses the speed options of this command. A run that is under way keeps its own. */
async function setPace(db: Queryable, jobId: string, pace: object): Promise<void> {
  await run(db, paceStatement, [jobId, fields, JSON.stringify(pace)]);
}
