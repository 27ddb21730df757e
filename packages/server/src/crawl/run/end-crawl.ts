import { type ErrorCode, errors, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { retryTransient } from '../../base/database/transient-errors.ts';
import { isLasting } from '../../governor/robots/robots-failure.ts';
import { endRun, type RunEnd, supervisorEnds } from '../../queue/jobs/end-run.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import type { BlockedBy } from '../../queue/jobs/waiting-jobs.ts';
import { type GivenUpRow, giveUpShard } from '../../queue/shards/give-up-shard.ts';
import { statusFailure } from '../../web/fetch/status-error.ts';
import { TrapDetector } from '../../web/traps/trap-detector.ts';
import { abandonFrontier } from '../frontier/abandon-frontier.ts';
import type { CrawlState } from '../frontier/open-frontier.ts';
import { returnPages } from '../frontier/return-pages.ts';
import { settleGone } from '../frontier/settle-gone.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { CrawlEnd } from './crawl-end.ts';
import type { KeptDiscovery } from './discovery.ts';
import { returnRefuted } from './refuted-traps.ts';
import { RenamedPages } from './renamed-pages.ts';

/** The baseline of a recrawl. */
type Compared = Pick<CrawlState, 'baseline' | 'baseline_rules'>;

const stopReasons = {
  pause: 'paused at a checkpoint',
  cancel: 'cancelled at a checkpoint',
  ...supervisorEnds,
} as const;

/** `undefined`: the runner goes on, perhaps with another shard. Otherwise the job's new status. */
export type Ended = WriteOutcome | undefined;

/** Lets go of the job of a crawl run that is over. In a crawl with several shards, only its last runner does; the others give up theirs. */
export async function endCrawl(
  context: CrawlContext,
  end: CrawlEnd,
  compared: Compared,
  actor: string,
): Promise<Ended> {
  // Every statement is fenced: if it is repeated after a lost response, the lease is gone and it changes nothing.
  return await retryTransient(
    () => performance.now() < context.leaseEnds(),
    async () => {
      const last = context.job.ticket === undefined ? end : await leaveShard(context, end);
      if (typeof last === 'string') return last;
      return (
        last && (await endRun(context.job, await runEndOf(context, last, compared), { ...context, actor }))
      );
    },
  );
}

/** What is left to do for the runner of a shard: to end the run of the job, to go on (undefined), or nothing. */
async function leaveShard(
  { db, job }: CrawlContext,
  end: CrawlEnd,
): Promise<CrawlEnd | WriteOutcome | undefined> {
  if (end.how === 'lost' || (end.how === 'stopped' && end.reason === 'lost')) return 'lost';
  const blocked = end.how === 'blocked' ? end : undefined;
  const given = await giveUpShard(db, job, {
    waitSeconds: blocked && blocked.waitMs / 1000,
    byRobots: blocked?.byRobots ?? false,
    maySwitch: end.how !== 'stopped' && end.how !== 'signed_out',
    onlyEmpty: end.how === 'finished',
  });
  switch (given.became) {
    case 'switched':
    case 'stays':
      return undefined;
    case 'left':
      return 'processing';
    case 'lost':
      return 'lost';
    case 'last':
      return end.how === 'stopped' || end.how === 'signed_out' ? end : wholeEnd(end, given);
  }
}

/** The end of a crawl, from that of its last shard and what the others wait for. */
function wholeEnd(end: Exclude<CrawlEnd, { how: 'stopped' | 'signed_out' }>, given: GivenUpRow): CrawlEnd {
  if (given.is_at_limit) return { how: 'limit' };
  if (given.total_pending === 0) return { how: 'finished' };
  const othersWaitMs = (given.others_wait ?? Number.POSITIVE_INFINITY) * 1000;
  const byRobots = given.others_by_robots ?? true;
  if (end.how === 'blocked')
    return { ...end, waitMs: Math.min(end.waitMs, othersWaitMs), byRobots: end.byRobots && byRobots };
  const by = { cause: 'tries', host: null, source: null, hosts: 1, sources: [], paused: [] } as const;
  const waitMs = Number.isFinite(othersWaitMs) ? othersWaitMs : 0;
  return { how: 'blocked', waitMs, byRobots, by, fetched: given.fetched };
}

async function runEndOf(context: CrawlContext, end: CrawlEnd, compared: Compared): Promise<RunEnd> {
  switch (end.how) {
    case 'lost':
      return { how: 'lost' };
    case 'stopped':
      return end.reason === 'lost' ? { how: 'lost' } : { how: 'released', reason: stopReasons[end.reason] };
    case 'blocked': {
      // A crawl that has never received a response through its proxy may have a wrong proxy.
      const trouble = end.by.cause === 'proxy' && end.fetched === 0 && end.by.host !== null;
      const proxyError = trouble ? context.proxies.troubleOf(end.by.host) : undefined;
      if (proxyError) return { how: 'failed', error: proxyError, isFinal: false, blockedBy: end.by };
      if (!end.byRobots) return { how: 'blocked', by: end.by, seconds: end.waitMs / 1000 };
      const error = context.robots.lastFailure ?? new HoldfastError('robots_unreachable');
      // If nothing was ever fetched, the failure is probably permanent. The URLs stay in the frontier.
      const isFinal = error.retry === 'never' && end.fetched === 0;
      return { how: 'failed', error, isFinal, blockedBy: end.by };
    }
    case 'signed_out': {
      // The withheld pages are fetched after a new sign-in.
      await returnPages(context.db, context.job, [end.error.code]);
      return { how: 'failed', error: end.error, isFinal: false, blockedBy: seedPlace(context) };
    }
    case 'limit':
      await abandonFrontier(context.db, context.job);
      // Unreached pages may still exist, so none is reported as gone.
      return await outcomeOf(context, null);
    case 'finished':
      if (context.job.ticket !== undefined && (await hasRefutedTraps(context)))
        return { how: 'released', reason: 'URLs that were taken for a trap are fetched after all' };
      return await outcomeOf(context, compared);
  }
}

const discoveryStatement = statement<{ discovery: KeptDiscovery; fetched: number }>(
  'read-discovery',
  'SELECT discovery, fetched FROM crawl_states WHERE job_id = $1',
);

/** Whether URLs are in the frontier again that runners of several shards had dropped as traps. */
async function hasRefutedTraps(context: CrawlContext): Promise<boolean> {
  const [state] = await run(context.db, discoveryStatement, [context.job.id]);
  const refuted = state?.discovery.refutedTraps ?? [];
  if (!state || refuted.length === 0) return false;
  const traps = new TrapDetector(state.discovery.trapPages, {}, refuted);
  return (await returnRefuted(context, (url) => traps.isWanted(url), state.fetched)) > 0;
}

const outcomeStatement = statement<{ fetched: number; reason: ErrorCode | null; message: string | null }>(
  'crawl-outcome',
  `
SELECT state.fetched, last.reason, last.message FROM crawl_states state LEFT JOIN LATERAL (
  SELECT reason, message FROM crawl_pages page
  WHERE page.job_id = state.job_id AND outcome IN ('failed', 'skipped') AND reason <> 'absent'
  ORDER BY outcome, fetched_at DESC LIMIT 1
) last ON true
WHERE state.job_id = $1`,
);

/** A crawl that fetched something is completed; otherwise its last error decides. */
async function outcomeOf(context: CrawlContext, compared: Compared | null): Promise<RunEnd> {
  const { db, job, log, leaseEnds } = context;
  const [outcome] = await run(db, outcomeStatement, [job.id]);
  if (outcome && outcome.fetched > 0) {
    if (compared) await settle(context, compared);
    return { how: 'completed' };
  }
  const last = errorOf(outcome?.reason ?? null, outcome?.message ?? null);
  const loop = last.code === 'nothing_to_fetch' ? await findRedirectLoop(db, job.id) : undefined;
  const error = loop ?? last;
  log.warn({ code: error.code }, `Nothing was fetched: ${error.message}`);
  const isFinal = error.retry === 'never';
  // For an automatic retry, the error is read before the pages return to the frontier. Pages of a broken host return as
  // well, for `retry`.
  const mayContinue = () => performance.now() < leaseEnds();
  if (!isFinal || isLasting(error))
    await retryTransient(mayContinue, () => returnPages(db, job, [error.code]));
  return { how: 'failed', error, isFinal, blockedBy: seedPlace(context) };
}

/** Where a crawl that fetched nothing failed: resuming that source retries the job. */
function seedPlace({ options, governor }: CrawlContext): BlockedBy {
  const { host } = new URL(options.url);
  const sourceId = governor.heldBy(host)?.sourceId ?? null;
  const sources = sourceId === null ? [] : [sourceId];
  return { cause: 'tries', host, source: sourceId, hosts: 1, sources, paused: [] };
}

async function settle(context: CrawlContext, { baseline, baseline_rules }: Compared): Promise<void> {
  const { db, job, urlRules } = context;
  if (baseline === null) return;
  if (baseline_rules === null || baseline_rules === urlRules) return await settleGone(db, job, baseline);
  const renamed = new RenamedPages(context, baseline, baseline_rules);
  await settleGone(db, job, baseline, (after, limit) => renamed.among(after, limit));
}

function errorOf(reason: string | null, message: string | null): HoldfastError {
  if (reason === 'robots') return new HoldfastError('robots_disallowed');
  if (reason?.startsWith('http_')) return statusFailure(Number(reason.slice(5)));
  if (reason === null || !(reason in errors))
    return new HoldfastError('nothing_to_fetch', reason ?? undefined);
  const code = reason as ErrorCode;
  const said = errors[code].message;
  return new HoldfastError(code, message === said ? undefined : message?.replace(`${said}: `, ''));
}

/* There is a loop if each redirect leads to another one, since there are finitely many. */
const loopStatement = statement<{ url: string }>(
  'find-redirect-loop',
  `
SELECT (array_agg(page.target_url ORDER BY page.fetched_at DESC))[1] AS url
FROM crawl_pages page
LEFT JOIN crawl_pages next ON next.job_id = page.job_id AND next.url = page.target_url
  AND next.kind = 'page' AND next.outcome = 'redirected'
WHERE page.job_id = $1 AND page.kind = 'page' AND page.outcome = 'redirected'
HAVING count(*) > 0 AND bool_and(next.url IS NOT NULL)`,
);

/**
 * The error of a crawl that fetched nothing but redirects to one another. A single run notices such a loop itself (redirects.ts); this
 * is for a loop that a later run closed.
 */
async function findRedirectLoop(db: Queryable, jobId: string): Promise<HoldfastError | undefined> {
  const [loop] = await run(db, loopStatement, [jobId]);
  return loop && new HoldfastError('too_many_redirects', loop.url);
}
