import { Listing } from './listing.ts';
import type { ListWorkersQuery, Worker } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Workers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Workers with their state and load. */
  list(query: ListWorkersQuery = {}, options?: CallOptions): Listing<Worker> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listWorkers', { query: { ...query, cursor } }, options),
    );
  }
}
