import { Listing } from './listing.ts';
import type { ListedPricePoint, ListPricePointsQuery, PricePoint } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class PricePoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Observed prices, newest first. Prices are decimal text, exactly as found. */
  list(query: ListPricePointsQuery = {}, options?: CallOptions): Listing<ListedPricePoint> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listPricePoints', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<PricePoint> {
    return this.#transport.call('showPricePoint', { path: { id } }, options);
  }

  /** Deletes a wrong price. Its intake is valued again without it. */
  delete(id: string, options?: CallOptions): Promise<ListedPricePoint> {
    return this.#transport.call('deletePricePoint', { path: { id } }, options);
  }
}
