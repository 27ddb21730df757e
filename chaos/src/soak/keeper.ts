import { setTimeout as delay } from 'node:timers/promises';
import { run as runStatement } from '../../../packages/server/src/base/database/statement.ts';
import { pruneJobs, pruneStatement } from '../../../packages/server/src/crawl/retention/prune-jobs.ts';
import { findViolations } from '../../../packages/server/src/ops/doctor/check-invariants.ts';
import type { Crawl } from '../stage/crawl.ts';
import type { Stage } from '../stage/stage.ts';

/** What has ended so long ago is pruned, as it is after days elsewhere. */
const keptSeconds = 60;

/** Judges what has ended, holds everything to the invariants, and prunes what is old, again and again. */
export class Keeper {
  readonly totals = {
    checks: 0,
    crawls: 0,
    pages: 0,
    refetched: 0,
    lost: 0,
    unplanned_deaths: 0,
    taken_for_poison: 0,
    pruned: 0,
  };
  readonly #stage: Stage;
  #isStopped = false;
  #keeping: Promise<void> | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  start(everySeconds: number): void {
    this.#keeping = (async () => {
      while (!this.#isStopped) {
        await delay(everySeconds * 1000);
        await this.look().catch(() => {
          // The database is away; it is looked at again later.
        });
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#keeping;
  }

  async look(): Promise<void> {
    const { crawls, pool, run } = this.#stage;
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM crawl_jobs');
    const { leaseSeconds, sweepSeconds } = run.timings;
    const ids = rows.map(({ id }) => id);
    for (const { invariant, job_id, found } of await findViolations(pool, ids, leaseSeconds + sweepSeconds))
      run.blame(`invariant ${invariant.number}, job ${job_id}: ${found}`);
    this.totals.checks++;
    const live = new Set(crawls.live);
    for (const crawl of crawls.all.filter((one) => !live.has(one))) await this.#judge(crawl);
    await this.#prune();
  }

  async #judge(crawl: Crawl): Promise<void> {
    const { crawls, run } = this.#stage;
    const status = crawls.statusOf(crawl.id);
    if (status !== 'completed') run.blame(`job ${crawl.id} is ${status}`);
    const { lost, wrong, overAsked, pages, refetched, unplanned, blamed } = await crawls.compare(crawl);
    if (lost > 0) run.blame(`${lost} URLs of job ${crawl.id} are lost`);
    for (const problem of [...wrong, ...overAsked].slice(0, 3)) run.blame(`job ${crawl.id}: ${problem}`);
    this.totals.crawls++;
    this.totals.pages += pages;
    this.totals.refetched += refetched;
    this.totals.lost += lost;
    this.totals.unplanned_deaths += unplanned;
    this.totals.taken_for_poison += blamed;
    crawls.forget(crawl);
  }

  /** Retention counts in days: what may go is made older, and then pruned by the statements that do it everywhere. */
  async #prune(): Promise<void> {
    const { crawls, pool } = this.#stage;
    const { rows } = await pool.query<{ id: string }>(
      `UPDATE crawl_jobs SET completed_at = now() - interval '2 days'
       WHERE completed_at < now() - make_interval(secs => $1) AND completed_at > now() - interval '1 day'
         AND status IN ('completed', 'failed', 'cancelled', 'expired') AND id <> ALL ($2)
       RETURNING id`,
      [keptSeconds, crawls.all.map(({ id }) => id)],
    );
    const gone = await runStatement(pool, pruneStatement, [rows.map(({ id }) => id), 1]);
    this.totals.pruned += gone.length;
    await pruneJobs(pool, 0);
    // Results and prices are kept for good; here they would be what grows.
    await pool.query(
      `DELETE FROM crawl_results result WHERE NOT EXISTS (SELECT FROM crawl_jobs WHERE id = result.job_id)`,
    );
  }
}
