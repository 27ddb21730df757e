import type { Configuration } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { retryWhileLeased } from '../../base/database/transient-errors.ts';
import type { GovernedFetcher } from '../../governor/governed-fetcher.ts';
import { SourceBlocked } from '../../governor/source-blocked.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import type { BlockedBy } from '../../queue/jobs/waiting-jobs.ts';
import type { RequestLease } from '../../web/fetch/request-lease.ts';
import { findIntakeOf } from '../intakes/find-intake.ts';
import { readAdapterCache, storeAdapterCache } from './adapter-cache.ts';
import { AccessTokens } from './adapters/access-tokens.ts';
import type { AdapterContext } from './adapters/adapter.ts';
import { askSource } from './adapters/ask-source.ts';
import { type AskedSource, askedSource } from './asked-source.ts';
import { cacheKey } from './cache-key.ts';
import { storeCollection } from './store-collection.ts';
import type { Listing } from '../points/listing.ts';
import type { ItemAttributes } from '../points/match-strength.ts';
import { itemAttributes } from '../points/price-point.ts';

export interface CollectorOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Pick<Configuration, 'cacheEnabled' | 'cacheTtlSeconds' | 'adapterFolder'>;
  readonly fetcher: Pick<GovernedFetcher, 'fetch'>;
  readonly actor: string;
  readonly secrets: AdapterContext['secrets'];
  readonly moduleProgram: string;
}

/** Asks one source for the prices of one intake, and keeps what it answers, also over a break of the connection. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #tokens = new AccessTokens();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, lease: RequestLease): Promise<WriteOutcome> {
    const { pool, log, actor } = this.#options;
    const source = await retryWhileLeased(lease, () => askedSource(pool, job));
    const intake = await retryWhileLeased(lease, () => findIntakeOf(pool, job));
    if (source.paused_ms > 0) throw new SourceBlocked(source.paused_ms, placeOf(source));
    const { listings, observedAt } = await this.#ask(source, itemAttributes(intake), lease);
    lease.signal.throwIfAborted();
    const collection = {
      job,
      intakeId: intake.id,
      owner: intake.user_id,
      sourceId: source.id,
      listings,
      observedAt,
    };
    const { outcome, stored } = await retryWhileLeased(lease, () => storeCollection(pool, collection, actor));
    log.info({ job: job.id, source: source.id, found: listings.length, ...stored }, 'Collected prices');
    return outcome;
  }

  async #ask(
    source: AskedSource,
    item: ItemAttributes,
    lease: RequestLease,
  ): Promise<{ listings: readonly Listing[]; observedAt: Date }> {
    const { pool, log, configuration, fetcher, secrets, moduleProgram } = this.#options;
    const { id: sourceId, adapter_type: adapterType, config } = source;
    const question = { sourceId, key: cacheKey(sourceId, item), adapterType, config };
    const cached = configuration.cacheEnabled
      ? await retryWhileLeased(lease, () => readAdapterCache(pool, question))
      : undefined;
    if (cached) return { listings: cached.listings, observedAt: cached.stored_at };
    const listings = await askSource(source, item, {
      ...lease,
      sourceId,
      fetcher,
      tokens: this.#tokens,
      secrets,
      folder: configuration.adapterFolder,
      moduleProgram,
      log,
    });
    const observedAt = new Date();
    if (configuration.cacheEnabled)
      await retryWhileLeased(lease, () =>
        storeAdapterCache(pool, question, listings, configuration.cacheTtlSeconds),
      );
    return { listings, observedAt };
  }
}

function placeOf({ id, enabled, pause_reason }: AskedSource): BlockedBy {
  const cause = enabled ? (pause_reason ?? 'operator') : 'disabled';
  return { cause, host: null, source: id, hosts: 1, sources: [id], paused: [id] };
}
