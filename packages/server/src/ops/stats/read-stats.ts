import type { Configuration, Stats } from '@holdfast/contract';
import { readNow } from '../../base/database/read-now.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { listSources } from '../../governor/sources/list-sources.ts';
import { sourceView } from '../../governor/sources/source-view.ts';
import { listWorkers } from '../../queue/workers/list-workers.ts';
import { readBotActivity } from './bot-activity.ts';
import { countJobs } from './count-jobs.ts';
import { countOwnJobs, countOwnMinutes } from './own-jobs.ts';
import { countPolicies } from './policy-counts.ts';
import { countPendingPages, listRecentJobs, listStuckJobs } from './running-jobs.ts';
import { fillHour, startOfHour, Throughput } from './throughput.ts';

/** A screen that is looked at by many asks the database no more often than this. */
const freshMs = 2_000;
const shown = 20;
const sourceLimit = 1_000;
const workerLimit = 1_000;

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
    const { db } = this.#options;
    return {
      at: await readNow(db),
      pending_pages: await countPendingPages(db, userId),
      stuck: await listStuckJobs(db, userId),
      recent_jobs: await listRecentJobs(db, userId),
      workers: await this.#workers(userId),
      sources: await this.#sources(userId),
      policies: await countPolicies(db, userId),
      bots: await readBotActivity(db, userId),
    };
  }

  async #ownThroughput(userId: string): Promise<Stats['throughput']> {
    const now = await readNow(this.#options.db);
    const rows = await countOwnMinutes(this.#options.db, userId, new Date(startOfHour(now)));
    return { minutes: fillHour(rows, now), complete: true };
  }

  /** Machines are the operators' business: an owner hears how many there are. */
  async #workers(userId: string | undefined): Promise<Stats['workers']> {
    const { db, configuration } = this.#options;
    const workers = await listWorkers(db, configuration, { limit: workerLimit });
    const inState = (state: string) => workers.filter((worker) => worker.state === state);
    const heard = workers.filter(({ state }) => state !== 'silent');
    return {
      alive: inState('alive').length,
      sick: inState('sick').length,
      draining: inState('draining').length,
      silent: inState('silent').length,
      running_jobs: heard.reduce((sum, { running_jobs }) => sum + running_jobs, 0),
      // A one-shot crawl takes no other job: its place is the one it fills.
      max_jobs: heard.reduce((sum, { max_jobs, running_jobs }) => sum + Math.max(max_jobs, running_jobs), 0),
      in_trouble: userId === undefined ? [...inState('sick'), ...inState('silent')].slice(0, shown) : [],
    };
  }

  async #sources(userId: string | undefined): Promise<Stats['sources']> {
    const isBound = userId !== undefined;
    const sources = await listSources(this.#options.db, {
      blocked: true,
      configured: isBound ? true : undefined,
      limit: sourceLimit + 1,
    });
    return {
      blocked: {
        count: Math.min(sources.length, sourceLimit),
        precision: sources.length > sourceLimit ? 'at_least' : 'exact',
      },
      in_trouble: sources.slice(0, shown).map((source) => sourceView(source, { seesEveryOwner: !isBound })),
    };
  }
}
