import { Listing } from './listing.ts';
import type {
  Calls,
  EnqueuedIntake,
  ImportedPricePoints,
  Intake,
  IntakeChange,
  ListedIntake,
  ListIntakesQuery,
  NewIntake,
} from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Intakes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Adds an item to be priced. */
  create(intake: NewIntake, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('createIntake', { body: intake }, options);
  }

  /** Items to be priced, the newest first. */
  list(query: ListIntakesQuery = {}, options?: CallOptions): Listing<ListedIntake> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listIntakes', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('showIntake', { path: { id } }, options);
  }

  /** Changes what is named; its price points are matched anew, and it is valued anew. */
  update(id: string, change: IntakeChange, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('changeIntake', { path: { id }, body: change, repeatable: true }, options);
  }

  /** Deletes an item with its price points and its valuation; its live jobs are cancelled. */
  delete(id: string, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('deleteIntake', { path: { id } }, options);
  }

  /** Adds many items, as JSON or CSV; one whose `reference` is known is changed instead. */
  importMany(
    body: Calls['importIntakes']['body'],
    options?: CallOptions,
  ): Promise<Calls['importIntakes']['answer']> {
    return this.#transport.call('importIntakes', { body }, options);
  }

  /** Asks every source for the prices of an item: one job for each, unless a live one asks already. */
  async enqueue(
    id: string,
    body: Calls['enqueueIntake']['body'] = {},
    options?: CallOptions,
  ): Promise<EnqueuedIntake[]> {
    const answer = await this.#transport.call(
      'enqueueIntake',
      { path: { id }, body, repeatable: true },
      options,
    );
    return answer.data;
  }

  async enqueueMany(body: Calls['enqueueIntakes']['body'], options?: CallOptions): Promise<EnqueuedIntake[]> {
    return (await this.#transport.call('enqueueIntakes', { body, repeatable: true }, options)).data;
  }

  /** Brings prices by hand. The same ones twice are kept once. */
  importPrices(
    id: string,
    body: Calls['importPricePoints']['body'],
    options?: CallOptions,
  ): Promise<ImportedPricePoints> {
    return this.#transport.call('importPricePoints', { path: { id }, body, repeatable: true }, options);
  }
}
