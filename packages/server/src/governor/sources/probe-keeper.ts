import { randomUUID } from 'node:crypto';
import { claimProbe } from './claim-probe.ts';
import type { DatabaseLink } from './database-link.ts';
import type { GovernedSource } from './governed-source.ts';
import { type ProbeResult, settleProbe } from './settle-probe.ts';

/** How often a worker that did not get the probe looks whether it has become free. */
const againMs = 1_000;

interface Probe {
  readonly token: string;
  readonly from: number;
  readonly until: number;
}

/** The one request that decides whether a source is well again; claimed in the database, so that it is one over all workers. */
export class ProbeKeeper {
  readonly #link: DatabaseLink;
  readonly #source: GovernedSource;
  readonly #ttlMs: number;
  #probe: Probe | undefined;
  #claiming = false;
  #askAt = 0;

  constructor(link: DatabaseLink, source: GovernedSource, ttlMs: number) {
    this.#link = link;
    this.#source = source;
    this.#ttlMs = ttlMs;
  }

  /** When the probe may start, as far as is known; claims it if it is not ours yet. */
  next(now: number): number {
    if (this.#probe && now >= this.#probe.until) this.#probe = undefined;
    if (this.#probe) return this.#probe.from;
    if (!this.#claiming && now >= this.#askAt) void this.#claim();
    return Math.max(this.#askAt, now + 1);
  }

  wakeAt(): number {
    return this.#probe?.from ?? (this.#claiming ? Number.POSITIVE_INFINITY : this.#askAt);
  }

  take(): string {
    const token = this.#probe?.token;
    this.#probe = undefined;
    if (!token) throw new Error('the probe is not ours');
    return token;
  }

  /** Lets another worker have a probe that nobody here used. */
  async giveUp(): Promise<void> {
    if (this.#probe) await this.settle(this.take(), 'neither', 0);
  }

  async settle(token: string, result: ProbeResult, pauseSeconds: number): Promise<void> {
    const heard = await this.#link.ask((db) => settleProbe(db, this.#source.id, token, result, pauseSeconds));
    this.#source.learnWritten(heard?.rows[0]);
  }

  async #claim(): Promise<void> {
    this.#claiming = true;
    const token = randomUUID();
    const heard = await this.#link.ask((db) => claimProbe(db, this.#source.id, token, this.#ttlMs));
    this.#claiming = false;
    this.#askAt = this.#link.now() + againMs;
    const answer = heard?.rows[0];
    if (heard && answer?.claimed) {
      const from = this.#link.clock.latest(answer.first_ms);
      this.#probe = { token, from, until: heard.sentAt + this.#ttlMs };
    }
    if (heard && answer) this.#source.learn(answer, heard.sentAt);
    this.#source.wake();
  }
}
