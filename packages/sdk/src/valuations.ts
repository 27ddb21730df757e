import { Listing } from './listing.ts';
import type {
  Distribution,
  HistoricValuation,
  ListValuationHistoryQuery,
  ListValuationsQuery,
  Valuation,
} from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Valuations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: ListValuationsQuery = {}, options?: CallOptions): Listing<Valuation> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listValuations', { query: { ...query, cursor } }, options),
    );
  }

  /** What an item is worth, how sure that is, and why. Amounts are decimal text. */
  get(intakeId: string, options?: CallOptions): Promise<Valuation> {
    return this.#transport.call('showValuation', { path: { intake_id: intakeId } }, options);
  }

  /** Where its prices lie, for a picture: counts in equal steps, and the outliers apart. */
  distribution(intakeId: string, options?: CallOptions): Promise<Distribution> {
    return this.#transport.call('showDistribution', { path: { intake_id: intakeId } }, options);
  }

  /** What it was thought to be worth before, the newest first. */
  history(
    intakeId: string,
    query: ListValuationHistoryQuery = {},
    options?: CallOptions,
  ): Listing<HistoricValuation> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call(
        'listValuationHistory',
        { path: { intake_id: intakeId }, query: { ...query, cursor } },
        options,
      ),
    );
  }
}
