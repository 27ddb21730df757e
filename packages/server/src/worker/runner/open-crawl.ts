import type { Configuration, CrawlOptions } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { run, statement } from '../../base/database/statement.ts';
import { whilePassing } from '../../base/database/while-passing.ts';
import { readerProgramPath } from '../../base/process/reader-program-path.ts';
import { readUrlRules } from '../../crawl/frontier/open-frontier.ts';
import { InFlight } from '../../crawl/run/in-flight-file.ts';
import { KnownUrls } from '../../crawl/run/known-urls.ts';
import { PageReading } from '../../crawl/run/page-reading.ts';
import { type RunningCrawl, runCrawl } from '../../crawl/run/run-crawl.ts';
import { RobotsGate } from '../../governor/robots/robots-gate.ts';
import { Governor } from '../../governor/sources/governor.ts';
import { governorTimes } from '../../governor/sources/governor-times.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { createScope } from '../../web/urls/scope.ts';
import { urlRules as rules } from '../../web/urls/url-rules.ts';

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
}

/** Puts together what a crawl needs, and starts it. */
export async function openCrawl(given: OpenCrawlOptions): Promise<RunningCrawl & { close(): Promise<void> }> {
  const { db, log, job, options, configuration, actor } = given;
  const userAgent = options.user_agent ?? configuration.userAgent;
  const fetcher = new HttpFetcher({
    allowOrigins: configuration.allowPrivate,
    connectionsPerOrigin: options.concurrency,
    onRequest: given.onRequest,
  });
  const mayGoOn = () => performance.now() < given.leaseEnds();
  const [rows, urlRules] = await whilePassing(mayGoOn, () =>
    Promise.all([run(db, suspectsStatement, [job.id]), readUrlRules(db, job.id)]),
  );
  const reading = new PageReading({
    options: { ...options, url_rules: urlRules },
    log,
    program: readerProgramPath,
    memoryMb: Math.floor(configuration.runnerMemoryMb / 2),
  });
  const governor = new Governor({ db, log, ...governorTimes(configuration) });
  const governed = governor.openRun(`${job.id}/${job.fence}`);
  const suspects = new Map(rows.map((row) => [row.url_hash, row.deaths]));
  const over = new AbortController();
  // The run exists only after its parts; rules cannot come before its first entry asks for them.
  let loaded: (origin: string, sitemaps: readonly string[]) => void = () => {};
  const running = await runCrawl(
    {
      ...given,
      urlRules,
      userAgent,
      fetcher,
      reading,
      governor: governed,
      robots: new RobotsGate({
        db,
        log,
        fetcher,
        governor: governed,
        userAgent,
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
      suspects,
    },
    actor,
  );
  loaded = (origin, sitemaps) => running.run.robotsLoaded(origin, sitemaps);
  const close = async () => {
    over.abort();
    await governed.close();
    await fetcher.close();
    await reading.close();
    await governor.close();
  };
  return { ...running, close };
}
