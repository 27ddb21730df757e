import type { CrawlOptions } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { GovernedRun } from '../../governor/pacing/governed-run.ts';
import type { ProxyRoutes } from '../../governor/proxies/proxy-routes.ts';
import type { RobotsGate } from '../../governor/robots/robots-gate.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { Fetcher } from '../../web/fetch/fetcher.ts';
import type { Scope } from '../../web/urls/scope.ts';
import type { UrlRulesVersion } from '../../web/urls/url-rules.ts';
import type { PageReading } from '../reading/page-reading.ts';
import type { PageRendering } from '../render/page-rendering.ts';
import type { CrawlSession } from '../session/crawl-session.ts';
import type { Escalations } from './escalations.ts';
import type { InFlight } from './in-flight-file.ts';
import type { KnownUrls } from './known-urls.ts';

/** Shared state of all parts of a crawl run. */
export interface CrawlContext {
  readonly db: pg.Pool;
  readonly log: Logger;
  readonly job: ClaimedJob;
  readonly options: CrawlOptions;
  /** The version the crawl began with. */
  readonly urlRules: UrlRulesVersion;
  readonly userAgent: string;
  readonly fetcher: Fetcher;
  /** Cookies, headers and profile values sent with requests. */
  readonly session: CrawlSession;
  readonly reading: PageReading;
  /** Undefined if no page is rendered. */
  readonly rendering: PageRendering | undefined;
  readonly governor: GovernedRun;
  readonly proxies: ProxyRoutes;
  readonly escalations: Escalations;
  readonly robots: RobotsGate;
  readonly scope: Scope;
  readonly known: KnownUrls;
  /** URLs that were in flight when an earlier runner died, with the number of deaths. */
  readonly suspects: Map<string, number>;
  /** Requests in flight, shared with the supervisor in case one kills the runner. */
  readonly inFlight: InFlight;
  /** By the monotonic clock; no request starts after this. */
  readonly leaseEnds: () => number;
}
