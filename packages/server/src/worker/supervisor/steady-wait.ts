/** Heartbeats in a row that a worker must miss to count as dead, if its process cannot be seen. */
const proofBeats = 2;

/** How long a worker must be silent: by its own heartbeat, or ours if that is longer. */
export function proofSeconds(worker: { readonly heartbeatSeconds: number }, ownSeconds: number): number {
  return proofBeats * Math.max(worker.heartbeatSeconds, ownSeconds);
}

/**
 * Measures how long we have reached the database without a break, by its clock. Silence counts only for that long: while the database
 * is away, or this machine stands still, nobody is heard of.
 */
export class SteadyWait {
  readonly #beatSeconds: number;
  #since = 0;
  #last: number | undefined;

  constructor(beatSeconds: number) {
    this.#beatSeconds = beatSeconds;
  }

  /** We reached the database at its time `now`. A gap as long as the shortest proof is a break. */
  reached(now: number): number {
    if (this.#last === undefined || now - this.#last >= proofBeats * this.#beatSeconds) this.#since = now;
    this.#last = now;
    return now - this.#since;
  }

  /** We did not reach it: the wait begins again. */
  missed(): void {
    this.#last = undefined;
  }
}
