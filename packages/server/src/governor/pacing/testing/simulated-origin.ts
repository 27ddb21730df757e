import type { RequestOutcome } from '../request-outcome.ts';

/** The origin's rate limiter: a counter per second, or a token bucket. */
type Limiter = 'window' | 'bucket';

export interface OriginOptions {
  readonly limiter: Limiter;
  /** Its response to requests above the limit. */
  readonly status: 429 | 503;
  readonly retryAfterSeconds?: number;
  readonly latencyMs?: number;
  /** Share of its pages that answer 503 once, whatever the load. */
  readonly flawed?: number;
  readonly now: () => number;
}

/** An origin with a fixed capacity per second; it refuses all other requests. */
export class SimulatedOrigin {
  /** When each request came, and whether it was served. */
  readonly requests: { readonly at: number; readonly served: boolean }[] = [];
  capacity: number;
  readonly #options: OriginOptions;
  #second = 0;
  #count = 0;
  #tokens: number;
  #filledAt: number;
  #page = 0;

  constructor(capacity: number, options: OriginOptions) {
    this.capacity = capacity;
    this.#options = options;
    this.#tokens = capacity / 5;
    this.#filledAt = options.now();
  }

  get latencyMs(): number {
    return this.#options.latencyMs ?? 20;
  }

  answer(isFirst: boolean): RequestOutcome {
    const { now, status, retryAfterSeconds, flawed = 0 } = this.#options;
    const latencyMs = this.latencyMs;
    const at = now();
    const served = this.#takes(at);
    this.requests.push({ at, served });
    if (!served) return { kind: 'http', status, latencyMs, retryAfterSeconds };
    // Evenly spread, and no two in a row unless they are that many.
    const isFlawed = isFirst && Math.floor(this.#page * flawed) !== Math.floor(++this.#page * flawed);
    return isFlawed
      ? { kind: 'http', status: 503, latencyMs, retryAfterSeconds }
      : { kind: 'http', status: 200, latencyMs };
  }

  /** Of the capacity between two moments, how much was used; of the requests, how many were refused. */
  between(from: number, until: number, capacity = this.capacity) {
    const within = this.requests.filter(({ at }) => at >= from && at < until);
    const served = within.filter((request) => request.served).length;
    const seconds = (until - from) / 1000;
    return {
      used: served / (capacity * seconds),
      refused: within.length === 0 ? 0 : (within.length - served) / within.length,
    };
  }

  #takes(at: number): boolean {
    if (this.#options.limiter === 'window') {
      const second = Math.floor(at / 1000);
      if (second !== this.#second) this.#count = 0;
      this.#second = second;
      return this.#count++ < this.capacity;
    }
    const most = this.capacity / 5;
    this.#tokens = Math.min(most, this.#tokens + ((at - this.#filledAt) / 1000) * this.capacity);
    this.#filledAt = at;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
