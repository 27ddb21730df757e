/** Clocks of decent machines part by less than this. */
const driftPerMs = 2e-4;

/**
 * Maps moments of the database's clock onto this process's monotonic one. Each answer says what the database's clock showed
 * at some moment between question and answer; together they narrow it down, so that one slow round trip spoils
 * nothing. What remains unknown is always taken against ourselves.
 */
export class DatabaseClock {
  /** Bounds of (monotonic − database). */
  #lower = Number.NEGATIVE_INFINITY;
  #upper = Number.POSITIVE_INFINITY;
  #heardAt = 0;

  hear(sentAt: number, databaseMs: number, receivedAt: number): void {
    const slack = (receivedAt - this.#heardAt) * driftPerMs;
    const lower = Math.max(this.#lower - slack, sentAt - databaseMs);
    const upper = Math.min(this.#upper + slack, receivedAt - databaseMs);
    this.#heardAt = receivedAt;
    // Contradicting answers: the clock was set, or it is that of another server. Only the newest counts.
    const agrees = lower <= upper;
    this.#lower = agrees ? lower : sentAt - databaseMs;
    this.#upper = agrees ? upper : receivedAt - databaseMs;
  }

  /** When a moment of the database has certainly come. */
  latest(databaseMs: number): number {
    return databaseMs + this.#upper;
  }

  get uncertaintyMs(): number {
    return this.#upper - this.#lower;
  }
}
