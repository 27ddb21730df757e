import type { Queryable } from '../database/statement.ts';
import { type FrontierOf, readFrontier, readHosts } from '../frontier/read-frontier.ts';
import { HostQueue } from './host-queue.ts';

/** Hosts worked on at once; a crawl may have a million. */
const maxHosts = 512;
const chunk = 128;
const refillBelow = 48;

/** The part of the frontier that is in memory, by host, in turns. Bounded, whatever the size of the crawl. */
export class HostQueues {
  readonly #db: Queryable;
  readonly #frontier: FrontierOf;
  readonly #queues = new Map<string, HostQueue>();
  #turns: HostQueue[] = [];
  #turn = 0;
  /** Hosts up to this name have been loaded; the database may have more behind it. */
  #lastHost = '';
  #moreHosts = true;

  constructor(db: Queryable, frontier: FrontierOf) {
    this.#db = db;
    this.#frontier = frontier;
  }

  /** True when nothing is left in memory and no host is left to load. */
  get isEmpty(): boolean {
    return !this.#moreHosts && this.#turns.every((queue) => queue.isEmpty);
  }

  get hosts(): readonly HostQueue[] {
    return this.#turns;
  }

  of(host: string): HostQueue {
    const queue = this.#queues.get(host) ?? new HostQueue(host, 0);
    if (!this.#queues.has(host)) {
      this.#queues.set(host, queue);
      this.#turns.push(queue);
    }
    return queue;
  }

  /** A checkpoint put new rows behind what was read of these hosts. */
  grew(hosts: Iterable<string>): void {
    for (const host of hosts) {
      const queue = this.#queues.get(host);
      if (queue) {
        queue.hasMore = true;
        queue.growth++;
      } else this.#moreHosts = true;
    }
    if (this.#moreHosts) this.#lastHost = '';
  }

  /** Looks for hosts with rows again, from the start. */
  rescan(): void {
    this.#moreHosts = true;
    this.#lastHost = '';
  }

  /** Each host in turn, beginning behind the last one that was served. */
  *inTurn(): Generator<HostQueue> {
    const count = this.#turns.length;
    for (let step = 1; step <= count; step++) {
      const turn = (this.#turn + step) % count;
      const queue = this.#turns[turn];
      if (!queue) continue;
      yield queue;
    }
  }

  served(queue: HostQueue): void {
    this.#turn = this.#turns.indexOf(queue);
  }

  /** Reads on where memory runs low. Resolves true when something was read. */
  async refill(): Promise<boolean> {
    this.#forgetEmpty();
    const read = this.#moreHosts && this.#turns.length < maxHosts ? await this.#loadHosts() : false;
    const low = this.#turns.filter(
      (queue) => queue.hasMore && !queue.reading && queue.buffered < refillBelow,
    );
    const counts = await Promise.all(low.map((queue) => this.#read(queue)));
    return read || counts.some((count) => count > 0);
  }

  async #loadHosts(): Promise<boolean> {
    this.#moreHosts = false; // unless a checkpoint that comes meanwhile says otherwise
    const hosts = await readHosts(this.#db, this.#frontier.jobId, this.#lastHost, maxHosts);
    if (hosts.length === maxHosts && !this.#moreHosts) {
      this.#moreHosts = true;
      this.#lastHost = hosts.at(-1)?.host ?? this.#lastHost;
    }
    for (const { host, low_seq } of hosts) {
      if (this.#queues.has(host)) continue;
      const queue = new HostQueue(host, low_seq);
      this.#queues.set(host, queue);
      this.#turns.push(queue);
    }
    return hosts.length > 0;
  }

  async #read(queue: HostQueue): Promise<number> {
    queue.reading = true;
    const { growth } = queue;
    try {
      const entries = await readFrontier(this.#db, this.#frontier, queue.host, queue.readSeq, chunk);
      queue.hasMore = entries.length === chunk || queue.growth !== growth;
      queue.append(entries, performance.now());
      return entries.length;
    } finally {
      queue.reading = false;
    }
  }

  #forgetEmpty(): void {
    if (!this.#turns.some((queue) => queue.isEmpty)) return;
    for (const queue of this.#turns) if (queue.isEmpty) this.#queues.delete(queue.host);
    this.#turns = this.#turns.filter((queue) => !queue.isEmpty);
    this.#turn = 0;
  }
}
