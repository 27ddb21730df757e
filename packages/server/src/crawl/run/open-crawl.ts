import type { Configuration, CrawlOptions } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { run, statement } from '../../base/database/statement.ts';
import { retryTransient } from '../../base/database/transient-errors.ts';
import { documentProgramPath, readerProgramPath } from '../../base/process/installation.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import type { Renderer } from '../../browser/render-client.ts';
import { RequestSigner } from '../../governor/identity/request-signer.ts';
import { Governor, governorTimes } from '../../governor/pacing/governor.ts';
import { ProxyRoutes } from '../../governor/proxies/proxy-routes.ts';
import { RobotsGate } from '../../governor/robots/robots-gate.ts';
import { RenderModes } from '../../governor/sources/render-modes.ts';
import { readUrlRules } from '../../pages/stored/read-pages.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { crawlKey, crawlKeyOf02 } from '../../web/urls/crawl-key.ts';
import { createScope } from '../../web/urls/scope.ts';
import { urlRules as rules } from '../../web/urls/url-rules.ts';
import { type CrawlName, type CrawlState, openFrontier } from '../frontier/open-frontier.ts';
import { PageReading } from '../reading/page-reading.ts';
import { PageRendering } from '../render/page-rendering.ts';
import { CrawlSession } from '../session/crawl-session.ts';
import type { CrawlContext } from './crawl-context.ts';
import { CrawlLoop } from './crawl-loop.ts';
import { endCrawl } from './end-crawl.ts';
import { Escalations } from './escalations.ts';
import { strategyOf } from './find-urls.ts';
import { InFlight } from './in-flight-file.ts';
import { KnownUrls } from './known-urls.ts';

const suspectsStatement = statement<{ url_hash: string; deaths: number }>(
  'read-suspects',
  'SELECT url_hash, deaths FROM crawl_suspects WHERE job_id = $1',
);

export interface OpenCrawlOptions {
  readonly db: pg.Pool;
  readonly log: Logger;
  readonly job: ClaimedJob;
  readonly options: CrawlOptions;
  readonly configuration: Configuration;
  readonly onRequest?: () => void;
  readonly leaseEnds: () => number;
  readonly actor: string;
  /** Undefined if this worker has no browser host. */
  readonly renderer?: Renderer | undefined;
}

export interface OpenCrawl {
  readonly stop: CrawlLoop['stop'];
  /** Resolves with the job's new status when the run has ended. */
  readonly ended: Promise<WriteOutcome>;
  close(): Promise<void>;
}

/** Assembles a crawl run and starts it from the last checkpoint. */
export async function openCrawl(given: OpenCrawlOptions): Promise<OpenCrawl> {
  const { db, log, job, options, configuration, actor } = given;
  const userAgent = options.user_agent ?? configuration.userAgent;
  const signer = new RequestSigner({ db, log, configuration });
  const proxies = new ProxyRoutes({ db, log, configuration });
  const escalations = new Escalations(options.on_block);
  const http = new HttpFetcher({
    allowOrigins: configuration.allowPrivate,
    connectionsPerOrigin: options.concurrency,
    onRequest: given.onRequest,
    identity: (url) => signer.headersFor(url),
  });
  const fetcher = proxies.over(http, ({ url }) => escalations.triedBy(url));
  const mayContinue = () => performance.now() < given.leaseEnds();
  const secrets = new SecretStore(new SecretKeys(configuration));
  const isResumed = job.fence > 1 || job.ticket !== undefined;
  const [urlRules, session] = await retryTransient(mayContinue, () =>
    Promise.all([
      readUrlRules(db, job.id),
      CrawlSession.open({ db, log, job, options, secrets, isResumed }),
      signer.load(),
    ]),
  );
  // Never crawl without the named proxy.
  proxies.use(options.proxy ?? session.profile?.proxy);
  await retryTransient(mayContinue, () => proxies.poolFor(new URL(options.url).host));
  const reading = new PageReading({
    options: { ...options, url_rules: urlRules, sign_in: session.profile !== undefined },
    log,
    program: readerProgramPath,
    documentProgram: documentProgramPath,
    memoryMb: Math.floor(configuration.runnerMemoryMb / 2),
  });
  const governor = new Governor({ db, log, ...governorTimes(configuration) });
  const governed = governor.openRun(
    [job.id, job.fence, ...(job.ticket === undefined ? [] : [job.ticket])].join('/'),
  );
  const over = new AbortController();
  // The loop is created after its parts; no rules arrive before its first entry asks for them.
  let loaded: (origin: string, sitemaps: readonly string[]) => void = () => {};
  const context: CrawlContext = {
    ...given,
    urlRules,
    userAgent,
    fetcher,
    session,
    reading,
    rendering: renderingOf(given, userAgent, reading, { proxies, session }),
    governor: governed,
    proxies,
    escalations,
    robots: new RobotsGate({
      db,
      log,
      fetcher,
      governor: governed,
      userAgent,
      robotsToken: options.robots_token,
      signal: over.signal,
      onLoaded: (origin, sitemaps) => loaded(origin, sitemaps),
    }),
    scope: createScope({
      seed: options.url,
      scope: options.scope,
      include: options.include,
      exclude: options.exclude,
      ...(options.path_prefix !== undefined && { pathPrefix: options.path_prefix }),
      maxDepth: options.max_depth,
    }),
    known: new KnownUrls(rules[urlRules].identity),
    inFlight: new InFlight(),
    suspects: new Map(),
  };
  const name = {
    key: crawlKey(options),
    keyOf02: crawlKeyOf02(options),
    recrawl: options.recrawl,
    urlRules,
  };
  const open = () => retryTransient(mayContinue, () => openShard(context, name));
  const state = await open();
  if (state.fetched === 0) context.robots.askAgain(new URL(options.url).origin);
  if (state.checkpoint_no > 0) context.robots.askAnew();
  let loop = new CrawlLoop(context, state);
  let stopped: Parameters<CrawlLoop['stop']> | undefined;
  // Sitemaps that a robots.txt named between two shards.
  const missed: [origin: string, sitemaps: readonly string[]][] = [];
  loaded = (origin, sitemaps) => {
    if (loop.isOver) missed.push([origin, sitemaps]);
    else loop.robotsLoaded(origin, sitemaps);
  };
  const work = async (): Promise<WriteOutcome> => {
    let at = state;
    for (
      let starts: Parameters<CrawlLoop['run']>[0] = at.checkpoint_no === 0 ? 'new' : 'again';
      ;
      starts = 'switched'
    ) {
      const end = await loop.run(starts);
      const ended = await endCrawl(context, end, at, actor);
      if (ended !== undefined) return ended;
      at = await open();
      loop = new CrawlLoop(context, at);
      if (stopped) loop.stop(...stopped);
      for (const [origin, sitemaps] of missed.splice(0)) loop.robotsLoaded(origin, sitemaps);
      log.debug({ shard: at.shard?.shard }, 'Going on with another shard');
    }
  };
  return {
    stop(...how) {
      stopped = how;
      loop.stop(...how);
    },
    ended: work(),
    async close() {
      over.abort();
      await governed.close();
      await fetcher.close();
      await proxies.close();
      await reading.close();
      given.renderer?.close();
      await governor.close();
    },
  };
}

/** Where the runner is to go on: what its last checkpoint left, and the URLs that killed other runners. */
async function openShard(context: CrawlContext, name: CrawlName): Promise<CrawlState> {
  const { db, job, suspects } = context;
  const [rows, state] = await Promise.all([
    run(db, suspectsStatement, [job.id]),
    openFrontier(db, job, name),
  ]);
  suspects.clear();
  for (const { url_hash, deaths } of rows) suspects.set(url_hash, deaths);
  return state;
}

function renderingOf(
  { db, log, job, options, renderer }: OpenCrawlOptions,
  userAgent: string,
  reading: PageReading,
  { proxies, session }: { readonly proxies: ProxyRoutes; readonly session: CrawlSession },
): PageRendering | undefined {
  if (options.render === 'never') return undefined;
  return new PageRendering({
    db,
    log,
    job,
    options,
    userAgent,
    renderer,
    reading,
    proxies,
    session,
    modes: new RenderModes(db),
    followsLinks: strategyOf(options) === 'recursive',
  });
}
