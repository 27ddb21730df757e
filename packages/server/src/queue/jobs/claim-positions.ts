import type { JobKind } from '@holdfast/contract';
import type { ClaimedJob } from './claim-jobs.ts';
import { type ClaimRange, type Lane, wholeLane } from './lane.ts';

export interface ClaimPlan {
  readonly ranges: readonly ClaimRange[];
  readonly due: boolean;
  /** Every lane is read from its start. */
  readonly isFull: boolean;
}

/** Interval of full reads, which find what the remembered positions miss: requeued, late committed and due jobs. */
const fullLookMs = 1_000;
/** Jobs created at nearly the same time may commit in a different order. */
const marginMs = 50;
const rememberedPriorities = 16;

/**
 * Remembers where each priority's ready jobs begin (ADR 3). While a session holds an old snapshot, claimed jobs stay in the index
 * as dead entries, and a claim from the start reads them all again. Unknown priorities are always read from the start.
 */
export class ClaimPositions {
  /** By kind: the lanes of one loop have one executor. */
  readonly #positions = new Map<JobKind, Map<number, number>>();
  readonly #lanes: readonly Lane[];
  #lastFullLook = Number.NEGATIVE_INFINITY;
  /** The last claim returned waiting jobs that were due; there may be more. */
  #moreDue = false;

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
  }

  plan(nowMs: number): ClaimPlan {
    if (nowMs - this.#lastFullLook >= fullLookMs) {
      this.#lastFullLook = nowMs;
      return { ranges: this.#lanes.map(wholeLane), due: true, isFull: true };
    }
    return { ranges: this.#lanes.flatMap((lane) => this.#rangesOf(lane)), due: this.#moreDue, isFull: false };
  }

  /** This worker put a job back into the queue: read everything next time. */
  forget(): void {
    this.#lastFullLook = Number.NEGATIVE_INFINITY;
  }

  /** Learns from the jobs of a claim, given in the claim's order. */
  learn(plan: ClaimPlan, limit: number, jobs: readonly ClaimedJob[]): void {
    const lowest = jobs.at(-1);
    this.#moreDue = jobs.some(({ waited }) => waited);
    for (const job of jobs) {
      const positions = this.#positionsOf(job);
      const known = positions.get(job.priority);
      if (!known || job.created_us > known) this.#remember(positions, job);
    }
    // A full read that hit its limit stopped inside its lowest priority; the rest was not read, even if it is older than what
    // was remembered.
    if (plan.isFull && lowest && jobs.length === limit) this.#remember(this.#positionsOf(lowest), lowest);
  }

  #remember(positions: Map<number, number>, job: ClaimedJob): void {
    positions.delete(job.priority);
    positions.set(job.priority, job.created_us);
    if (positions.size > rememberedPriorities) positions.delete(positions.keys().next().value as number);
  }

  #positionsOf({ kind }: Pick<Lane, 'kind'>): Map<number, number> {
    const positions = this.#positions.get(kind) ?? new Map<number, number>();
    this.#positions.set(kind, positions);
    return positions;
  }

  #rangesOf(lane: Lane): ClaimRange[] {
    const { kind, executor, highest, lowest } = wholeLane(lane);
    const ranges: ClaimRange[] = [];
    let above = highest;
    for (const [priority, position] of [...this.#positionsOf(lane)].sort(([a], [b]) => b - a)) {
      if (above > priority)
        ranges.push({ kind, executor, highest: above, lowest: priority + 1, since: null });
      const since = new Date(position / 1000 - marginMs);
      ranges.push({ kind, executor, highest: priority, lowest: priority, since });
      above = priority - 1;
    }
    ranges.push({ kind, executor, highest: above, lowest, since: null });
    return ranges;
  }
}
