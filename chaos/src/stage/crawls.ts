import { setTimeout as delay } from 'node:timers/promises';
import { terminalStatuses } from '@holdfast/contract';
import { findViolations } from '../../../packages/server/src/ops/doctor/check-invariants.ts';
import { enqueueJob } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import { Section } from '../site/section.ts';
import { until } from '../until.ts';
import { type Crawl, pathOf, requestsOf } from './crawl.ts';
import { inFlightAtMost } from './ledger.ts';
import type { Stage } from './stage.ts';

export interface CrawlPlan {
  readonly pages?: number;
  readonly concurrency?: number;
}

/** The load under which faults happen: crawls of generated sections, one after the other, so many at a time. */
export class Crawls {
  readonly all: Crawl[] = [];
  readonly #stage: Stage;
  readonly #statuses = new Map<string, string>();
  #keeping: Promise<void> | undefined;
  #isAdding = false;
  #isStopped = false;
  #numbered = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get live(): Crawl[] {
    return this.all.filter(({ id }) => !isTerminal(this.#statuses.get(id)));
  }

  statusOf(id: string): string {
    return this.#statuses.get(id) ?? 'pending';
  }

  /** Enqueues the next section. */
  async add({ pages = 500, concurrency = 8 }: CrawlPlan = {}): Promise<Crawl> {
    const { origins, pool, run } = this.#stage;
    const number = this.#numbered++;
    const origin = origins[number % origins.length];
    if (!origin) throw new Error('a crawl needs an origin');
    const section = new Section(run.seed, number, pages);
    origin.add(section);
    const { job } = await enqueueJob(pool, {
      kind: 'crawl',
      // Runs that end before their first page burn a retry each, and kills at random may hit one job many times in a row.
      max_retries: 30,
      payload: {
        url: `${origin.url}${section.prefix}`,
        path_prefix: section.prefix,
        discover: false,
        attempts: 2,
        concurrency,
      },
    });
    const crawl = { id: job.id, section, origin, concurrency, credits: new Map<string, number>(), deaths: 0 };
    this.all.push(crawl);
    await new Notifier(pool).notify('work');
    return crawl;
  }

  /** One that has ended and been judged, so that a long run does not keep them all. */
  forget(crawl: Crawl): void {
    this.all.splice(this.all.indexOf(crawl), 1);
    this.#statuses.delete(crawl.id);
    crawl.origin.forget(crawl.section);
  }

  /** Keeps so many crawls going, by adding another for each that has ended. */
  async keep(count: number, plan: CrawlPlan = {}): Promise<void> {
    this.#isAdding = true;
    for (let n = 0; n < count; n++) await this.add(plan);
    this.#keeping = this.#watch(count, plan);
  }

  stopAdding(): void {
    this.#isAdding = false;
  }

  stop(): void {
    this.#isAdding = false;
    this.#isStopped = true;
  }

  /** Waits until all have come to an end. */
  async finish(seconds = 180): Promise<void> {
    this.stopAdding();
    this.#keeping ??= this.#watch(0, {});
    try {
      await until('the end of all crawls', () => this.live.length === 0, { seconds, everyMs: 50 });
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await this.#describeLive()}`);
    }
  }

  /** Where those stand that have not ended. */
  async #describeLive(): Promise<string> {
    const { rows } = await this.#stage.pool.query(
      `SELECT job.id, job.status, job.fence, job.worker_id, job.lease_expires_at - now() AS lease, job.run_at, job.retry_count,
         state.total_pending, state.total_processed, state.checkpoint_no, now() - state.updated_at AS since_checkpoint,
         (SELECT json_agg(json_build_object('url', url, 'attempts', attempts, 'in', not_before - now()))
          FROM (SELECT * FROM crawl_frontier WHERE job_id = job.id LIMIT 3) rest) AS frontier,
         (SELECT count(*) FROM crawl_suspects WHERE job_id = job.id) AS suspects
       FROM crawl_jobs job LEFT JOIN crawl_states state ON state.job_id = job.id WHERE job.id = ANY ($1)`,
      [this.live.map(({ id }) => id)],
    );
    return rows.map((row) => JSON.stringify(row)).join('\n');
  }

  async #watch(count: number, plan: CrawlPlan): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.look();
        while (this.#isAdding && this.live.length < count) await this.add(plan);
      } catch {
        // The database may be away: that is what some faults are about.
      }
      await delay(50);
    }
  }

  /** Reads how far the crawls are. */
  async look(): Promise<void> {
    const { rows } = await this.#stage.pool.query<{ id: string; status: string }>(
      'SELECT id, status FROM crawl_jobs WHERE id = ANY ($1)',
      [this.live.map(({ id }) => id)],
    );
    for (const { id, status } of rows) this.#statuses.set(id, status);
  }

  /** Invariants of the database, at this moment. */
  async violations(crawls: readonly Crawl[] = this.all): Promise<string[]> {
    const { leaseSeconds, sweepSeconds } = this.#stage.run.timings;
    const found = await findViolations(
      this.#stage.pool,
      crawls.map(({ id }) => id),
      leaseSeconds + sweepSeconds,
    );
    return found.map(
      ({ invariant, job_id, found: what }) => `invariant ${invariant.number}, job ${job_id}: ${what}`,
    );
  }

  /** Runs that ended badly without our doing: on a busy machine a runner may be taken for hung. */
  async unplannedDeaths({ id, deaths }: Crawl): Promise<number> {
    const { rows } = await this.#stage.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM job_events WHERE job_id = $1 AND transition IN ('crash', 'recover')`,
      [id],
    );
    return Math.max(0, Number(rows[0]?.count ?? 0) - deaths);
  }

  /** What happened to its job, and when, for whoever has to find out why. */
  async story({ id, deaths }: Crawl): Promise<string> {
    const { rows } = await this.#stage.pool.query<{ event: string }>(
      `SELECT to_char(at, 'MI:SS.MS ') || transition || ' ' || fence || coalesce(' (' || reason || ')', '') AS event
       FROM job_events WHERE job_id = $1 ORDER BY event_no`,
      [id],
    );
    return `${rows.map(({ event }) => event).join(', ')}; ${deaths} planned deaths`;
  }

  /** What a finished crawl must have: each address once, with the outcome that the site gives it. */
  async compare(crawl: Crawl): Promise<{
    lost: number;
    wrong: string[];
    refetched: number;
    overAsked: string[];
    pages: number;
    unplanned: number;
    blamed: number;
  }> {
    const { rows } = await this.#stage.pool.query<{
      url: string;
      outcome: string;
      reason: string | null;
      attempts: number;
    }>('SELECT url, outcome, reason, attempts FROM crawl_pages WHERE job_id = $1', [crawl.id]);
    const unplanned = await this.unplannedDeaths(crawl);
    const stored = new Map(rows.map((row) => [pathOf(row.url), row]));
    const wrong: string[] = [];
    const crashed = [...stored].filter(([, { reason }]) => reason === 'runner_crashed').map(([path]) => path);
    const blamed = new Set(crashed.slice(0, poisonAtMost(crawl)));
    const reached = blamed.size > 0 ? crawl.section.reachedWithout(blamed) : undefined;
    let lost = 0;
    for (const [path, { outcome }] of crawl.section.paths) {
      if (blamed.has(path) || reached?.has(path) === false) continue;
      const row = stored.get(path);
      const found = row && (row.reason ? `${row.outcome}: ${row.reason}` : row.outcome);
      if (!found) lost++;
      else if (found !== outcome) wrong.push(`${path} is ${found}, not ${outcome}`);
    }
    for (const path of stored.keys())
      if (!crawl.section.paths.has(path)) wrong.push(`${path} was never there`);
    let [refetched, beyondCredit] = [0, 0];
    const overAsked: string[] = [];
    for (const [path, count] of requestsOf(crawl)) {
      const attempts = stored.get(path)?.attempts ?? 0;
      const again = Math.max(0, count - attempts);
      refetched += again;
      const credit = crawl.credits.get(path) ?? 0;
      beyondCredit += Math.max(0, again - credit);
      if (again > credit + unplanned)
        overAsked.push(
          `${path}: ${count} requests, ${attempts} attempts recorded, in flight at ${credit} deaths and pauses`,
        );
    }
    // A death that nobody planned was not looked at when it happened. It may have cost what can be in flight, and no more.
    if (beyondCredit > unplanned * inFlightAtMost(crawl.concurrency))
      overAsked.push(
        `${beyondCredit} requests that no planned death or pause explains, and ${unplanned} other deaths`,
      );
    return { lost, wrong, refetched, overAsked, pages: rows.length, unplanned, blamed: blamed.size };
  }
}

/**
 * A page that was in flight at one death, and alone at three more, is taken for poison, as it must be: chance may hit one page
 * that often. Each death counts against one page at most. Not by what the origin saw: a page whose request was still on its
 * way to it at a death was in flight as well.
 */
function poisonAtMost({ deaths }: Crawl): number {
  return Math.max(0, Math.floor((deaths - 1) / 3));
}

function isTerminal(status: string | undefined): boolean {
  return (terminalStatuses as readonly string[]).includes(status ?? '');
}
