import { Listing } from './listing.ts';
import type { ListedResult, ListResultsQuery, Result } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Results {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Results, newest first. Prices are decimal text, exactly as found. */
  list(query: ListResultsQuery = {}, options?: CallOptions): Listing<ListedResult> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listResults', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<Result> {
    return this.#transport.call('showResult', { path: { id } }, options);
  }

  /** The raw HTML, if it was submitted. */
  rawHtml(id: string, options?: CallOptions): Promise<string> {
    return this.#transport.call('downloadRawResult', { path: { id } }, options);
  }
}
