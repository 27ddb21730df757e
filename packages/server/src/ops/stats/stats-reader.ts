import type { Configuration, Stats } from '@holdfast/contract';
import { type Queryable, readNow } from '../../base/database/statement.ts';
import { countJobs } from './count-jobs.ts';
import { countOwnJobs, countOwnMinutes } from './owner-jobs.ts';
import { countPolicies, countSources, countWorkers, readBotActivity } from './resource-stats.ts';
import { countPendingPages, listRecentJobs, listStuckJobs } from './running-jobs.ts';
import { fillHour, startOfHour, Throughput } from './throughput.ts';

/** A screen that is looked at by many asks the database no more often than this. */
const freshMs = 2_000;

export interface StatsReaderOptions {
  readonly db: Queryable;
  readonly configuration: Pick<Configuration, 'heartbeatSeconds'>;
}

/** Where everything stands, in numbers that stay cheap however many jobs there are. */
export class StatsReader {
  readonly #options: StatsReaderOptions;
  readonly #throughput: Throughput;
  readonly #fresh = new Map<string | undefined, { readonly until: number; readonly stats: Promise<Stats> }>();

  constructor(options: StatsReaderOptions) {
    this.#options = options;
    this.#throughput = new Throughput(options.db);
  }

  /** Of all owners, or of one. Who asks again within a moment gets the same answer. */
  read(userId: string | undefined): Promise<Stats> {
    const now = performance.now();
    for (const [name, { until }] of this.#fresh) if (until < now) this.#fresh.delete(name);
    const known = this.#fresh.get(userId);
    if (known) return known.stats;
    const stats = this.#read(userId);
    this.#fresh.set(userId, { until: now + freshMs, stats });
    stats.catch(() => this.#fresh.delete(userId));
    return stats;
  }

  /** Three connections at most: those who steer jobs meanwhile need some too. */
  async #read(userId: string | undefined): Promise<Stats> {
    const { db } = this.#options;
    const [counts, throughput, rest] = await Promise.all([
      userId === undefined ? countJobs(db) : countOwnJobs(db, userId),
      userId === undefined ? this.#throughput.read() : this.#ownThroughput(userId),
      this.#readRest(userId),
    ]);
    return { user_id: userId ?? null, ...counts, throughput, ...rest };
  }

  async #readRest(
    userId: string | undefined,
  ): Promise<Omit<Stats, 'user_id' | 'jobs' | 'retries' | 'throughput'>> {
    const { db, configuration } = this.#options;
    return {
      at: await readNow(db),
      pending_pages: await countPendingPages(db, userId),
      stuck: await listStuckJobs(db, userId),
      recent_jobs: await listRecentJobs(db, userId),
      workers: await countWorkers(db, configuration, userId),
      sources: await countSources(db, userId),
      policies: await countPolicies(db, userId),
      bots: await readBotActivity(db, userId),
    };
  }

  async #ownThroughput(userId: string): Promise<Stats['throughput']> {
    const now = await readNow(this.#options.db);
    const rows = await countOwnMinutes(this.#options.db, userId, new Date(startOfHour(now)));
    return { minutes: fillHour(rows, now), complete: true };
  }
}
