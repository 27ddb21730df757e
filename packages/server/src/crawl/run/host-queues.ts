import type { Queryable } from '../../base/database/statement.ts';
import { patienceMs } from '../../governor/governed-fetcher.ts';
import { firstSeq } from '../frontier/checkpoint-statement.ts';
import { type FrontierOf, type FrontierPart, readFrontier, readHosts } from '../frontier/read-frontier.ts';
import { HostQueue } from './host-queue.ts';

const chunk = 128;
const refillBelow = 48;

export interface HostLimits {
  /** Hosts in memory; a crawl may have a million. */
  readonly maxHosts: number;
  /** If not all hosts fit, hosts blocked for longer than this are evicted. */
  readonly patienceMs: number;
  readonly lookEveryMs: number;
}

const standardLimits: HostLimits = { maxHosts: 512, patienceMs, lookEveryMs: 1_000 };
/** Entries put back within this time may not be committed yet. */
const restMs = 5_000;
/** So few are all read when one of them may have grown. */
const fewHosts = 64;
/** Evicted hosts are found again by reading. */
const maxSetAside = 10_000;

/** The part of the frontier in memory, by host. Hosts take turns; memory is bounded, whatever the size of the crawl. */
export class HostQueues {
  readonly #db: Queryable;
  readonly #frontier: FrontierOf;
  readonly #limits: HostLimits;
  readonly #queues = new Map<string, HostQueue>();
  #turns: HostQueue[] = [];
  #turn = 0;
  /** Hosts up to this name have been loaded. */
  #lastHost = '';
  #moreHosts = true;
  /** Evicted blocked hosts, with the end of their block by the monotonic clock. */
  readonly #setAside = new Map<string, number>();
  #returnAt = Number.POSITIVE_INFINITY;
  #lookAt = 0;
  readonly #firstSeq: number;
  /** Hosts in memory are compared with the database when they are next loaded. */
  #mayHaveGrown = false;

  constructor(db: Queryable, frontier: FrontierOf, limits = standardLimits) {
    this.#db = db;
    this.#frontier = frontier;
    this.#firstSeq = firstSeq(frontier.shard ?? 0);
    this.#limits = limits;
  }

  /** Nothing is left in memory, and no host is left to load. */
  get isEmpty(): boolean {
    return !this.#moreHosts && this.#setAside.size === 0 && this.#turns.every((queue) => queue.isEmpty);
  }

  /** There may be hosts that have not been loaded yet. */
  get hasUnseen(): boolean {
    return this.#moreHosts;
  }

  /** When the first evicted host is unblocked; Infinity if none. */
  get returnAt(): number {
    return this.#returnAt;
  }

  get hosts(): readonly HostQueue[] {
    return this.#turns;
  }

  of(host: string): HostQueue {
    const queue = this.#queues.get(host) ?? new HostQueue(host, this.#firstSeq, 0);
    if (!this.#queues.has(host)) {
      this.#queues.set(host, queue);
      this.#turns.push(queue);
    }
    return queue;
  }

  /** A checkpoint added rows to these hosts. */
  grew(hosts: Iterable<string>): void {
    for (const host of hosts) {
      const queue = this.#queues.get(host);
      if (queue) queue.grew();
      else this.#moreHosts = true;
    }
    if (this.#moreHosts) this.#lastHost = '';
  }

  /** Other shards added rows, to hosts that are not known. */
  arrived(): void {
    if (this.#turns.length <= fewHosts) for (const queue of this.#turns) queue.grew();
    else this.#mayHaveGrown = true;
    this.rescan();
  }

  /** Loads hosts again from the start. */
  rescan(): void {
    this.#moreHosts = true;
    this.#lastHost = '';
  }

  /** Round robin, starting after the last host served. */
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

  /** Reads more where memory runs low. `startsAt`: until when a host is blocked. Resolves to whether something was read. */
  async refill(
    startsAt: (queue: HostQueue, now: number) => number,
    part: FrontierPart = 'all',
  ): Promise<boolean> {
    this.#forgetEmpty();
    const { maxHosts } = this.#limits;
    const now = performance.now();
    if (now >= this.#returnAt) this.#takeBack();
    if (this.#moreHosts && this.#turns.length >= maxHosts && now >= this.#lookAt)
      this.#makeRoom(startsAt, now);
    const read = this.#moreHosts && this.#turns.length < maxHosts ? await this.#loadHosts(part) : false;
    const low = this.#turns.filter(
      (queue) => queue.hasMore && !queue.reading && queue.buffered < refillBelow,
    );
    const counts = await Promise.all(low.map((queue) => this.#read(queue, part)));
    return read || counts.some((count) => count > 0);
  }

  async #loadHosts(part: FrontierPart): Promise<boolean> {
    const { maxHosts } = this.#limits;
    this.#moreHosts = false; // unless a checkpoint adds some meanwhile
    const hosts = await readHosts(this.#db, this.#frontier, this.#lastHost, maxHosts, part);
    if (hosts.length === maxHosts && !this.#moreHosts) {
      this.#moreHosts = true;
      this.#lastHost = hosts.at(-1)?.host ?? this.#lastHost;
    }
    for (const { host, low_seq, done, pending } of hosts) {
      const known = this.#queues.get(host);
      if (known && this.#mayHaveGrown && pending > known.openCount) known.grew();
      if (known || this.#setAside.has(host)) continue;
      const queue = new HostQueue(host, Math.max(low_seq, this.#firstSeq), done);
      this.#queues.set(host, queue);
      this.#turns.push(queue);
    }
    if (!this.#moreHosts) this.#mayHaveGrown = false;
    return hosts.length > 0;
  }

  async #read(queue: HostQueue, part: FrontierPart): Promise<number> {
    queue.reading = true;
    const { growth, host, readSeq: afterSeq } = queue;
    if (part === 'retried') queue.leaveUnread();
    try {
      const stretch = { host, afterSeq, limit: chunk, part };
      const entries = await readFrontier(this.#db, this.#frontier, stretch);
      queue.hasMore = entries.length === chunk || queue.growth !== growth;
      queue.append(entries, performance.now());
      return entries.length;
    } finally {
      queue.reading = false;
    }
  }

  /** Evicts idle hosts, all of whose rows are in the database. */
  #makeRoom(startsAt: (queue: HostQueue, now: number) => number, now: number): void {
    const { patienceMs, lookEveryMs } = this.#limits;
    this.#lookAt = now + lookEveryMs;
    for (const queue of this.#turns) {
      if (!queue.isAtRest || now < queue.usedAt + restMs) continue;
      const until = startsAt(queue, now);
      if (until < now + patienceMs) continue;
      this.#queues.delete(queue.host);
      this.#setAside.set(queue.host, until);
      this.#returnAt = Math.min(this.#returnAt, until);
    }
    for (const host of this.#setAside.keys()) {
      if (this.#setAside.size <= maxSetAside) break;
      this.#setAside.delete(host);
    }
    this.#turns = this.#turns.filter((queue) => this.#queues.has(queue.host));
    this.#turn = 0;
  }

  #takeBack(): void {
    this.#setAside.clear();
    this.#returnAt = Number.POSITIVE_INFINITY;
    this.rescan();
  }

  #forgetEmpty(): void {
    if (!this.#turns.some((queue) => queue.isEmpty)) return;
    for (const queue of this.#turns) if (queue.isEmpty) this.#queues.delete(queue.host);
    this.#turns = this.#turns.filter((queue) => !queue.isEmpty);
    this.#turn = 0;
  }
}
