import { type Crawl, pathOf, requestsOf } from './crawl.ts';
import type { RunningJob, Stage } from './stage.ts';

/** `machine`: the supervisor died as well, and another one was started. `pause`: nobody died, but what was in flight may have been dropped. */
export type DeathKind = 'runner' | 'machine' | 'pause';

export interface Death {
  readonly job: string;
  readonly kind: DeathKind;
  /** As it was when it died, for whoever asks for recoveries. */
  readonly run: RunningJob | undefined;
  /** Addresses that had been asked for and were not durable. */
  readonly inFlight: number;
  /** By the database's clock. */
  readonly at: Date;
}

/** Concurrency and one batch of the checkpoint: what a death or a pause may cost at most. */
export const inFlightAtMost = (concurrency: number) => concurrency + 50;

/**
 * What the dead had sent may still lie in the sockets of our origins. They are read within a few turns of our own loop: one to accept a
 * connection, one to read it.
 */
async function whatWasSent(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Keeps account of what was in flight when a runner died or was paused: only that may be asked for once more. */
export class Ledger {
  readonly deaths: Death[] = [];
  readonly #stage: Stage;
  readonly #deadWorkers: { readonly worker: object; readonly at: Date }[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** To be called right after the death or pause, before another runner has asked for anything. */
  async note(crawl: Crawl, kind: DeathKind = 'runner', run?: RunningJob): Promise<Death> {
    const [at, { rows }] = await Promise.all([
      this.#now(),
      this.#stage.pool.query<{ url: string; attempts: number }>(
        `SELECT url, attempts FROM crawl_pages WHERE job_id = $1
         UNION ALL SELECT url, attempts FROM crawl_frontier WHERE job_id = $1 AND attempts > 0`,
        [crawl.id],
      ),
    ]);
    await whatWasSent();
    const durable = new Map(rows.map(({ url, attempts }) => [pathOf(url), attempts]));
    let inFlight = 0;
    for (const [path, count] of requestsOf(crawl)) {
      const credit = crawl.credits.get(path) ?? 0;
      if (count <= (durable.get(path) ?? 0) + credit) continue;
      crawl.credits.set(path, credit + 1);
      inFlight++;
    }
    const most = inFlightAtMost(crawl.concurrency);
    if (inFlight > most)
      this.#stage.run.blame(
        `${inFlight} URLs of job ${crawl.id} were in flight at one ${kind === 'pause' ? 'pause' : 'death'}, not ${most}`,
      );
    const death = { job: crawl.id, kind, run, inFlight, at };
    this.deaths.push(death);
    if (kind !== 'pause') crawl.deaths++;
    return death;
  }

  /** A runner whose supervisor was killed goes on until it has heard of it: what it asked for after it was noted may be dropped too. */
  noteOrphan({ origin, section, credits }: Crawl, agent: string, since: number): void {
    for (const request of origin.log) {
      if (request.agent !== agent || request.at <= since || !request.path.startsWith(section.prefix))
        continue;
      credits.set(request.path, (credits.get(request.path) ?? 0) + 1);
    }
  }

  /** A supervisor died: nobody hears any more that a runner of it did, until another one starts or the lease ends. */
  async noteWorker(worker: object): Promise<void> {
    this.#deadWorkers.push({ worker, at: await this.#now() });
  }

  /**
   * How long it took after each death until the job was claimed again; those whose job was not are left out. A runner whose
   * supervisor died before it had seen to it counts as `machine`.
   */
  async recoveries(): Promise<Record<'runner' | 'machine', number[]>> {
    const found: Record<'runner' | 'machine', number[]> = { runner: [], machine: [] };
    for (const { job, at, kind, run } of this.deaths) {
      if (kind === 'pause' || !run) continue;
      const { rows } = await this.#stage.pool.query<{ claimed: Date }>(
        `SELECT at AS claimed FROM job_events
         WHERE job_id = $1 AND transition = 'claim' AND fence > $2 ORDER BY fence LIMIT 1`,
        [job, run.fence],
      );
      const claimed = rows[0]?.claimed;
      if (!claimed) continue;
      const isOrphan = this.#deadWorkers.some(
        (dead) => dead.worker === run.worker && dead.at >= at && dead.at <= claimed,
      );
      found[isOrphan ? 'machine' : kind].push(Math.max(claimed.getTime() - at.getTime(), 0));
    }
    return found;
  }

  async #now(): Promise<Date> {
    const { rows } = await this.#stage.pool.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    return rows[0]?.at ?? new Date();
  }
}
