import { type ErrorCode, errors, HoldfastError } from '@holdfast/contract';
import { run, statement } from '../../base/database/statement.ts';
import { whilePassing } from '../../base/database/while-passing.ts';
import { isLasting } from '../../governor/robots/robots-failure.ts';
import { type BlockedBy, blockedReason } from '../../queue/jobs/blocked-by.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { failJobs } from '../../queue/jobs/fail-jobs.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { retryJobsLater } from '../../queue/jobs/retry-jobs-later.ts';
import { crawlKey, crawlKeyOf02 } from '../../web/urls/crawl-key.ts';
import { supervisorEnds } from '../../worker/runner/messages.ts';
import { abandonFrontier } from '../frontier/abandon-frontier.ts';
import { type CrawlState, openFrontier } from '../frontier/open-frontier.ts';
import { returnPages } from '../frontier/return-pages.ts';
import { settleGone } from '../frontier/settle-gone.ts';
import type { CrawlContext } from './crawl-context.ts';
import { type CrawlEnd, CrawlRun } from './crawl-run.ts';
import { findRedirectLoop } from './find-redirect-loop.ts';
import { RenamedPages } from './renamed-pages.ts';
import { statusFailure } from './status-failure.ts';

type Compared = Pick<CrawlState, 'baseline' | 'baseline_rules'>;

export interface RunningCrawl {
  readonly run: CrawlRun;
  /** Resolves with the job's new status when the run has ended and let go of it. */
  readonly ended: Promise<WriteOutcome>;
}

/** Runs a crawl from where it stands. */
export async function runCrawl(context: CrawlContext, actor: string): Promise<RunningCrawl> {
  const mayGoOn = () => performance.now() < context.leaseEnds();
  const { db, job, options } = context;
  const name = {
    key: crawlKey(options),
    keyOf02: crawlKeyOf02(options),
    recrawl: options.recrawl,
    urlRules: context.urlRules,
  };
  const state = await whilePassing(mayGoOn, () => openFrontier(db, job, name));
  if (state.fetched === 0) context.robots.askAgain(new URL(options.url).origin);
  if (state.checkpoint_no > 0) context.robots.askAnew();
  const run = new CrawlRun(context, state);
  return {
    run,
    ended: run
      .run(state.checkpoint_no === 0)
      // Each of its statements is fenced: repeated after a lost answer, it finds the lease gone and changes nothing.
      .then((end) => whilePassing(mayGoOn, () => letGo(context, end, actor, state))),
  };
}

async function letGo(
  context: CrawlContext,
  end: CrawlEnd,
  actor: string,
  compared: Compared,
): Promise<WriteOutcome> {
  const { db, job } = context;
  switch (end.how) {
    case 'lost':
      return 'lost';
    case 'stopped':
      return only(await releaseJobs(db, [{ ...job, reason: stopReasons[end.reason] }], actor));
    case 'blocked': {
      if (end.byRobots) {
        const error = context.robots.lastFailure ?? new HoldfastError('robots_unreachable');
        // Where nothing was ever fetched, it does not look like a failure that passes. Its URLs stay in the frontier.
        const isHopeless = error.retry === 'never' && end.fetched === 0;
        const failed = [{ ...job, error, blockedBy: end.by }];
        return only(await (isHopeless ? failJobs : retryJobsLater)(db, failed, actor));
      }
      const release = {
        ...job,
        reason: blockedReason(end.by),
        notBeforeSeconds: end.waitMs / 1000,
        blockedBy: end.by,
      };
      return only(await releaseJobs(db, [release], actor));
    }
    default:
      if (end.how === 'limit') await abandonFrontier(db, job);
      // At a limit, what was not reached may be there all the same.
      return await finish(context, actor, end.how === 'finished' ? compared : null);
  }

  function only(outcomes: { get(job: typeof context.job): WriteOutcome | undefined }): WriteOutcome {
    return outcomes.get(job) ?? 'lost';
  }
}

const stopReasons = {
  pause: 'paused at a checkpoint',
  cancel: 'cancelled at a checkpoint',
  ...supervisorEnds,
  lost: 'the lease is lost',
} as const;

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

/** A crawl that fetched something is completed; of one that fetched nothing, the last error decides. */
async function finish(
  context: CrawlContext,
  actor: string,
  compared: Compared | null,
): Promise<WriteOutcome> {
  const { db, job, log, leaseEnds } = context;
  const [outcome] = await run(db, outcomeStatement, [job.id]);
  if (outcome && outcome.fetched > 0) {
    if (compared) await settle(context, compared);
    return (await completeJobs(db, [job], actor)).get(job) ?? 'lost';
  }
  const last = errorOf(outcome?.reason ?? null, outcome?.message ?? null);
  const loop = last.code === 'nothing_to_fetch' ? await findRedirectLoop(db, job.id) : undefined;
  const error = loop ?? last;
  log.warn({ code: error.code }, `Nothing was fetched: ${error.message}`);
  const isFinal = error.retry === 'never';
  // One by one: when the pages are back, the error is not to be found among them any more. Of a host that is at fault itself they
  // come back as well, for `retry`.
  const mayGoOn = () => performance.now() < leaseEnds();
  if (!isFinal || isLasting(error)) await whilePassing(mayGoOn, () => returnPages(db, job, [error.code]));
  const failed = [{ ...job, error, blockedBy: seedPlace(context) }];
  const outcomes = await whilePassing(mayGoOn, () =>
    (isFinal ? failJobs : retryJobsLater)(db, failed, actor),
  );
  return outcomes.get(job) ?? 'lost';
}

/** Where a crawl failed that fetched nothing, so that whoever resumes its source has it tried again. */
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
