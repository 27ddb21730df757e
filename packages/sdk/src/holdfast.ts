import { Bots } from './bots.ts';
import { Events } from './events.ts';
import { Intakes } from './intakes.ts';
import { Jobs } from './jobs.ts';
import { Keys } from './keys.ts';
import { Listing } from './listing.ts';
import type {
  CrawlerIdentity,
  HistoricPrice,
  ListPriceChangesQuery,
  ListPriceHistoryQuery,
  PriceChange,
  ShownJob,
  ShowStatsQuery,
  Stats,
} from './operations.ts';
import { Pages } from './pages.ts';
import { Policies } from './policies.ts';
import { PricePoints } from './price-points.ts';
import { Profiles } from './profiles.ts';
import { Proxies } from './proxies.ts';
import { Results } from './results.ts';
import { Sources } from './sources.ts';
import { type CallOptions, type ConnectionOptions, Transport } from './transport.ts';
import { Valuations } from './valuations.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';
import { Webhooks } from './webhooks.ts';
import { Workers } from './workers.ts';

/** The API of Holdfast. */
export class Holdfast {
  readonly #transport: Transport;
  readonly jobs: Jobs;
  readonly events: Events;
  readonly pages: Pages;
  readonly policies: Policies;
  readonly profiles: Profiles;
  readonly results: Results;
  readonly sources: Sources;
  readonly proxies: Proxies;
  readonly intakes: Intakes;
  readonly pricePoints: PricePoints;
  readonly valuations: Valuations;
  readonly webhooks: Webhooks;
  readonly bots: Bots;
  readonly workers: Workers;
  readonly keys: Keys;

  constructor(options: ConnectionOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.jobs = new Jobs(transport);
    this.events = new Events(transport);
    this.pages = new Pages(transport);
    this.policies = new Policies(transport);
    this.profiles = new Profiles(transport);
    this.results = new Results(transport);
    this.sources = new Sources(transport);
    this.proxies = new Proxies(transport);
    this.intakes = new Intakes(transport);
    this.pricePoints = new PricePoints(transport);
    this.valuations = new Valuations(transport);
    this.webhooks = new Webhooks(transport);
    this.bots = new Bots(transport);
    this.workers = new Workers(transport);
    this.keys = new Keys(transport);
  }

  /** The prices of a policy or a URL over time, newest first. Prices are decimal text. */
  priceHistory(query: ListPriceHistoryQuery, options?: CallOptions): Listing<HistoricPrice> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listPriceHistory', { query: { ...query, cursor } }, options),
    );
  }

  /** Price changes, newest first. */
  priceChanges(query: ListPriceChangesQuery = {}, options?: CallOptions): Listing<PriceChange> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listPriceChanges', { query: { ...query, cursor } }, options),
    );
  }

  /** Counts, throughput, and what is stuck or in trouble. */
  stats(query: ShowStatsQuery = {}, options?: CallOptions): Promise<Stats> {
    return this.#transport.call('showStats', { query }, options);
  }

  /** The keys that requests are signed with. */
  identity(options?: CallOptions): Promise<CrawlerIdentity> {
    return this.#transport.call('getIdentity', {}, options);
  }

  /** Resolves with the job when it has ended: completed, failed, cancelled or expired. */
  waitFor(job: string | { readonly id: string }, options?: WaitOptions): Promise<ShownJob> {
    return waitFor(this.jobs, typeof job === 'string' ? job : job.id, options);
  }
}
