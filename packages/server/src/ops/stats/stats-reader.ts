import type { Configuration, Stats } from '@holdfast/contract';
import { type Queryable, readNow } from '../../base/database/statement.ts';
import { countJobs } from './count-jobs.ts';
import { countOwnJobs, countOwnMinutes } from './owner-jobs.ts';
import { countPolicies, countSources, countWorkers, readBotActivity } from './resource-stats.ts';
import { countPendingPages, listRecentJobs, listStuckJobs } from './running-jobs.ts';
import { fillHour, startOfHour, Throughput } from './throughput.ts';

/** How long an answer is shared, however many people watch. */
const freshMs = 2_000;

export interface StatsReaderOptions {
  readonly db: Queryable;
  readonly configuration: Pick<Configuration, 'heartbeatSeconds'>;
}

/** The state of the system in numbers, at a cost that does not grow with the number of jobs. */
export class StatsReader {
  readonly #options: StatsReaderOptions;
  readonly #throughput: Throughput;
  readonly #fresh = new Map<string | undefined, { readonly until: number; readonly stats: Promise<Stats> }>();

  constructor(options: StatsReaderOptions) {
    this.#options = options;
    this.#throughput = new Throughput(options.db);
  }

  /** Of all owners (undefined), or of one. */
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

  /** Three connections at most, to leave some for other requests. */
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
