import { type BlockedBy, maxBlockedSources } from '../../queue/jobs/waiting-jobs.ts';
import type { AdmitEntries } from './admit-entries.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { HostQueue } from './host-queue.ts';
import type { HostQueues } from './host-queues.ts';

/** How often a source that an operator paused indefinitely is checked. */
const longestWaitMs = 10 * 60_000;

/** Determines what a crawl waits for when none of its entries can start. */
export class BlockedHosts {
  readonly #context: Pick<CrawlContext, 'options' | 'governor'>;
  readonly #queues: HostQueues;
  readonly #admissions: AdmitEntries;

  constructor(
    context: Pick<CrawlContext, 'options' | 'governor'>,
    queues: HostQueues,
    admissions: AdmitEntries,
  ) {
    this.#context = context;
    this.#queues = queues;
    this.#admissions = admissions;
  }

  /** Milliseconds until the first remaining host is unblocked; 0 if one is not blocked. */
  waitMs(): number {
    const now = performance.now();
    const hosts = this.#left();
    const { returnAt, hasUnseen } = this.#queues;
    if (hasUnseen || hosts.some((queue) => queue.reading)) return 0;
    const isSetAside = returnAt !== Number.POSITIVE_INFINITY;
    // The crawl's own delays exist only in this run's memory; another run would violate them.
    if (isSetAside ? this.#context.options.delay_ms > 0 : hosts.length === 0) return 0;
    const waits = hosts.map((queue) => {
      const entry = queue.peek(now);
      if (entry) return this.#admissions.blockedUntil(entry) - now;
      return queue.hasMore || queue.nextDue === Number.POSITIVE_INFINITY ? 0 : queue.nextDue - now;
    });
    return Math.max(Math.min(...waits, returnAt - now, longestWaitMs), 0);
  }

  /** The reason for the job's event: that of the host that is unblocked first. */
  reason(): BlockedBy {
    const now = performance.now();
    const blocks = this.#left()
      .map((queue) => {
        const entry = queue.peek(now);
        const block = entry && this.#admissions.blockOf(entry);
        return {
          host: queue.host,
          until: entry ? this.#admissions.blockedUntil(entry) : queue.nextDue,
          cause: block?.cause ?? ('tries' as const),
          sourceId: block?.sourceId ?? this.#context.governor.heldBy(queue.host)?.sourceId ?? null,
          isPaused: block?.isPaused ?? false,
        };
      })
      .sort((a, b) => a.until - b.until);
    const [first] = blocks;
    const sourcesOf = (some: typeof blocks) =>
      [...new Set(some.flatMap(({ sourceId }) => sourceId ?? []))].slice(0, maxBlockedSources);
    return {
      cause: first?.cause ?? 'limit',
      host: first?.host ?? null,
      source: first?.sourceId ?? null,
      hosts: blocks.length,
      sources: sourcesOf(blocks),
      paused: sourcesOf(blocks.filter(({ isPaused }) => isPaused)),
    };
  }

  /** Whether all of them wait for a robots.txt that is unreachable. */
  areByRobots(): boolean {
    const now = performance.now();
    if (this.#queues.returnAt !== Number.POSITIVE_INFINITY) return false;
    return this.#left().every((queue) => {
      const entry = queue.peek(now);
      return entry !== undefined && this.#admissions.waitsForRobots(entry);
    });
  }

  /** Earliest time of the next request to the host, as far as known. */
  startsAt(queue: HostQueue, now: number): number {
    const entry = queue.peek(now);
    if (entry) return this.#admissions.startsAt(entry, now);
    return queue.nextDue === Number.POSITIVE_INFINITY ? 0 : queue.nextDue;
  }

  #left(): HostQueue[] {
    return this.#queues.hosts.filter((queue) => !queue.isEmpty);
  }
}
