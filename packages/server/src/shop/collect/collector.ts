import { type Configuration, HoldfastError, type PauseReason } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { retryWhileLeased } from '../../base/database/transient-errors.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { type GovernedFetcher, SourceBlocked } from '../../governor/governed-fetcher.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import type { HeldJob, WriteOutcome } from '../../queue/jobs/held-job.ts';
import type { BlockedBy } from '../../queue/jobs/waiting-jobs.ts';
import { RequestSession } from '../../queue/profiles/request-session.ts';
import type { RequestLease } from '../../web/fetch/fetcher.ts';
import { findIntakeOf, lockIntake } from '../intakes/find-intakes.ts';
import type { ItemAttributes } from '../points/match-strength.ts';
import { itemAttributes, type Listing, pricePoint } from '../points/price-point.ts';
import { type StoredPoints, storePoints } from '../points/store-points.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { cacheKey, readAdapterCache, storeAdapterCache } from './adapter-cache.ts';
import { AccessTokens } from './adapters/access-tokens.ts';
import type { AdapterContext } from './adapters/adapter.ts';
import { askSource } from './adapters/ask-source.ts';

interface CollectorOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Pick<Configuration, 'cacheEnabled' | 'cacheTtlSeconds' | 'adapterFolder'>;
  readonly fetcher: Pick<GovernedFetcher, 'fetch'>;
  readonly actor: string;
  /** Environment variables that adapters may name. */
  readonly secrets: AdapterContext['secrets'];
  readonly secretStore: SecretStore;
  readonly moduleProgram: string;
}

/** Runs collect jobs: asks one source for the prices of one intake and stores them. Survives a lost database connection. */
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
    const { listings, observedAt } = await this.#ask(
      source,
      itemAttributes(intake),
      { job, owner: intake.user_id },
      lease,
    );
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
    { job, owner }: { readonly job: HeldJob; readonly owner: string },
    lease: RequestLease,
  ): Promise<{ listings: readonly Listing[]; observedAt: Date }> {
    const { pool, log, configuration, fetcher, secrets, secretStore, moduleProgram } = this.#options;
    const { id: sourceId, adapter_type: adapterType, config } = source;
    const profile = typeof config.profile === 'string' ? config.profile : undefined;
    // What a source tells its owner's account is for nobody else.
    const key = profile === undefined ? cacheKey(sourceId, item) : `${cacheKey(sourceId, item)} of ${owner}`;
    const question = { sourceId, key, adapterType, config };
    const cached = configuration.cacheEnabled
      ? await retryWhileLeased(lease, () => readAdapterCache(pool, question))
      : undefined;
    if (cached) return { listings: cached.listings, observedAt: cached.stored_at };
    const session =
      profile === undefined
        ? undefined
        : await retryWhileLeased(lease, () => RequestSession.open(pool, secretStore, job.id, { profile }));
    const listings = await askSource(source, item, {
      ...lease,
      session,
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

/** The source of a collect job. */
interface AskedSource {
  readonly id: string;
  readonly adapter_type: string | null;
  readonly config: Record<string, unknown>;
  /** How long it stays paused; Infinity: until an operator resumes it. */
  readonly paused_ms: number;
  readonly enabled: boolean;
  readonly pause_reason: PauseReason | null;
}

const askedStatement = statement<{ source_id: string | null } & Partial<AskedSource>>(
  'asked-source',
  `
SELECT job.source_id, source.id, source.adapter_type, source.config, source.enabled, source.pause_reason,
  greatest(0, state.paused_until_ms - epoch_ms(clock_timestamp())) AS paused_ms
FROM crawl_jobs job LEFT JOIN sources source ON source.id = job.source_id
LEFT JOIN LATERAL source_state(source) state ON source.id IS NOT NULL
WHERE job.id = $1`,
);

async function askedSource(db: Queryable, { id: jobId }: HeldJob): Promise<AskedSource> {
  const [row] = await run(db, askedStatement, [jobId]);
  if (row?.id == null)
    throw new HoldfastError('source_not_found', row?.source_id ?? 'the job names no source');
  const { id, adapter_type = null, config = {}, paused_ms = 0, enabled = true, pause_reason = null } = row;
  return { id, adapter_type, config, paused_ms, enabled, pause_reason };
}

interface Collection {
  readonly job: HeldJob;
  readonly intakeId: string;
  readonly owner: string;
  readonly sourceId: string;
  readonly listings: readonly Listing[];
  readonly observedAt: Date;
}

/**
 * Completes the job, stores its points and updates the valuation in one transaction: a collector that lost its lease stores nothing,
 * and the valuation never lags behind the points. Safe to repeat after a lost answer.
 */
export function storeCollection(
  pool: pg.Pool,
  { job, intakeId, owner, sourceId, listings, observedAt }: Collection,
  actor: string,
): Promise<{ outcome: WriteOutcome; stored?: StoredPoints }> {
  return inTransaction(pool, async (db) => {
    // Locks in the order of deleteIntake: intake, then job.
    const intake = await lockIntake(db, intakeId, owner);
    const outcome = (await completeJobs(db, [job], actor)).get(job) ?? 'lost';
    if (outcome !== 'completed') return { outcome };
    const points = listings.map((listing) => pricePoint(intake, listing, observedAt));
    const stored = await storePoints(db, { intakeId, sourceId, jobId: job.id, actor, observedAt }, points);
    if (stored.added + stored.strengthened > 0) await valueIntake(db, intake);
    return { outcome, stored };
  });
}
