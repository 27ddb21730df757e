/** A worker whose process cannot be seen is dead when it misses so many heartbeats in a row. */
const proofBeats = 2;

/** How long a worker must be silent: by its own heartbeat, and for no less than we need to be sure of the database. */
export function proofSeconds(worker: { readonly heartbeatSeconds: number }, ownSeconds: number): number {
  return proofBeats * Math.max(worker.heartbeatSeconds, ownSeconds);
}

/**
 * How long we have reached the database without a break, by its clock. Silence counts for no longer: while the database is
 * away, or this machine stands still, nobody is heard of.
 */
export class SteadyWait {
  readonly #beatSeconds: number;
  #since = 0;
  #last: number | undefined;

  constructor(beatSeconds: number) {
    this.#beatSeconds = beatSeconds;
  }

  /** We reached the database at its time `now`. A gap as long as the shortest proof is a break: it must have a sign of ours inside. */
  reached(now: number): number {
    if (this.#last === undefined || now - this.#last >= proofBeats * this.#beatSeconds) this.#since = now;
    this.#last = now;
    return now - this.#since;
  }

  /** We did not reach it: the wait begins anew. */
  missed(): void {
    this.#last = undefined;
  }
}
