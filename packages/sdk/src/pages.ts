import { Listing } from './listing.ts';
import type { ListAllPagesQuery, ListedPage } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Pages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Pages of all crawls, newest crawl first. `jobs.pages` lists those of one crawl. */
  list(query: ListAllPagesQuery = {}, options?: CallOptions): Listing<ListedPage> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listAllPages', { query: { ...query, cursor } }, options),
    );
  }
}
