import { isLeased, type RequestLease } from '../../web/fetch/fetcher.ts';
import type { Permit } from '../pacing/permit.ts';

/**
 * One load of an origin's robots.txt, for every run that asked for it. It ends with the last of these runs, and sends no request
 * while none of them has a lease.
 */
export class RobotsLoad {
  readonly #leases = new Set<RequestLease>();
  readonly #over = new AbortController();
  /** Set while it waits for the governor: accepts a permit from another caller. */
  give: ((permit: Permit) => void) | undefined;

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  join(lease: RequestLease): void {
    if (this.#leases.has(lease)) return;
    this.#leases.add(lease);
    const leave = () => {
      this.#leases.delete(lease);
      if (this.#leases.size === 0) this.end();
    };
    lease.signal.addEventListener('abort', leave, { once: true, signal: this.signal });
  }

  mayAsk(): boolean {
    return !this.signal.aborted && [...this.#leases].some(isLeased);
  }

  end(): void {
    this.#over.abort();
  }
}
