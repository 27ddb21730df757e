import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../test/operations/free-port.ts';
import type { ApiProcess } from '../processes/api-process.ts';
import type { HoldfastProcess } from '../processes/holdfast-process.ts';
import { signal } from '../processes/process-table.ts';
import type { Ledger } from '../stage/ledger.ts';
import type { Stage } from '../stage/stage.ts';
import type { MisfortuneKind } from './misfortunes.ts';

/** Carries the misfortunes of a soak out, and keeps the ledger of what they may cost. */
export class Fate {
  readonly counts: Record<string, number> = {};
  readonly steady: HoldfastProcess;
  readonly #stage: Stage;
  readonly #ledger: Ledger;
  readonly #api: ApiProcess;
  readonly #ports: Map<HoldfastProcess, number>;

  private constructor(
    stage: Stage,
    parts: { ledger: Ledger; api: ApiProcess; steady: HoldfastProcess; ports: Map<HoldfastProcess, number> },
  ) {
    this.#stage = stage;
    this.#ledger = parts.ledger;
    this.#api = parts.api;
    this.steady = parts.steady;
    this.#ports = parts.ports;
  }

  /** Starts the workers: one that is spared, so that its memory can be watched, and others that are not. */
  static async open(stage: Stage, parts: { ledger: Ledger; api: ApiProcess; others: number }): Promise<Fate> {
    const ports = new Map<HoldfastProcess, number>();
    const steady = await startWorker(stage, ports);
    const fate = new Fate(stage, { ...parts, steady, ports });
    for (let n = 0; n < parts.others; n++) await startWorker(stage, ports);
    await stage.ready();
    return fate;
  }

  /** Where the workers that run tell what they count. */
  get ports(): number[] {
    return [...this.#ports].filter(([worker]) => !worker.hasExited).map(([, port]) => port);
  }

  readonly happen = async (kind: MisfortuneKind): Promise<void> => {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    await this[kind]();
  };

  async runner(): Promise<void> {
    const [target] = this.#oneOf(this.#stage.atWork());
    if (!target) return;
    signal(target.runner, 'SIGKILL');
    await this.#note([target.id]);
  }

  async worker(): Promise<void> {
    const [worker] = this.#oneOf(this.#mortals());
    if (!worker) return;
    const held = this.#stage.running().filter((one) => one.worker === worker);
    worker.signal('SIGKILL');
    for (const { runner } of held) signal(runner, 'SIGKILL');
    await this.#note(held.map(({ id }) => id));
    await startWorker(this.#stage, this.#ports);
  }

  async drain(): Promise<void> {
    const [worker] = this.#oneOf(this.#mortals());
    if (!worker) return;
    const replacement = await startWorker(this.#stage, this.#ports);
    await replacement.says(/is ready/);
    await worker.end('SIGTERM');
  }

  /** Whoever is stopped at once may ask again for what was in flight. */
  async pause(): Promise<void> {
    const [crawl] = this.#oneOf(this.#stage.crawls.live);
    if (!crawl) return;
    const { status } = await this.#api.post(`/api/v1/jobs/${crawl.id}/pause`);
    if (status >= 500 && status !== 503) this.#stage.run.blame(`a pause was answered with ${status}`);
    if ((await this.#settled(crawl.id)) === 'paused') await this.#note([crawl.id], 'pause');
    await delay(this.#stage.run.random.between(200, 3_000));
    await this.resume(crawl.id);
  }

  async backends(): Promise<void> {
    await this.#stage.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name <> 'holdfast chaos' AND pid <> pg_backend_pid()`,
    );
  }

  async database(): Promise<void> {
    const { server, random } = this.#stage.run;
    // A command that starts while there is no database says so and ends; those that run have to outlast it.
    await this.#stage.ready();
    await server.stop(random.isTrue(0.5) ? 'immediate' : 'fast');
    await delay(random.between(0, 2_000));
    await server.start();
  }

  /** Until it is heard: a crawl that stays paused never ends. */
  async resume(id: string): Promise<void> {
    for (;;) {
      const { status } = await this.#api.post(`/api/v1/jobs/${id}/resume`);
      if (status !== 503) return;
      await delay(200);
    }
  }

  /** A pause that was not acknowledged within the answer is acted on later: what is dropped then is what counts. */
  async #settled(id: string): Promise<string> {
    const end = performance.now() + 2_000 * this.#stage.run.timings.leaseSeconds;
    while (performance.now() < end) {
      const { status, body } = await this.#api.get(`/api/v1/jobs/${id}`);
      if (status === 200 && (body.status !== 'processing' || body.requested_action === null))
        return body.status;
      await delay(50);
    }
    this.#stage.run.blame(`nobody acted on the pause of job ${id}`);
    return 'processing';
  }

  #mortals(): HoldfastProcess[] {
    return [...this.#ports.keys()].filter(
      (worker) =>
        worker !== this.steady && !worker.hasExited && worker.lines.some(({ msg }) => /is ready/.test(msg)),
    );
  }

  #oneOf<Item>(items: readonly Item[]): Item[] {
    return items.length === 0 ? [] : [this.#stage.run.random.pick(items)];
  }

  async #note(ids: readonly string[], kind: 'runner' | 'pause' = 'runner'): Promise<void> {
    for (const crawl of this.#stage.crawls.all) {
      if (!ids.includes(crawl.id)) continue;
      for (let attempt = 0; attempt < 50; attempt++) {
        try {
          await this.#ledger.note(crawl, kind);
          break;
        } catch {
          // The database is on its way back.
          await delay(100);
        }
      }
    }
  }
}

async function startWorker(stage: Stage, ports: Map<HoldfastProcess, number>): Promise<HoldfastProcess> {
  const port = await freePort();
  const worker = stage.startWorker({ HOLDFAST_METRICS_PORT: String(port) });
  ports.set(worker, port);
  return worker;
}
