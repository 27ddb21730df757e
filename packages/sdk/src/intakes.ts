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

  /** Creates an intake, an item to be priced. */
  create(intake: NewIntake, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('createIntake', { body: intake }, options);
  }

  /** Intakes, newest first. */
  list(query: ListIntakesQuery = {}, options?: CallOptions): Listing<ListedIntake> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listIntakes', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('showIntake', { path: { id } }, options);
  }

  /** Changes the given fields. Its price points are matched and valued again. */
  update(id: string, change: IntakeChange, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('changeIntake', { path: { id }, body: change, repeatable: true }, options);
  }

  /** Deletes an item with its price points and its valuation; its live jobs are cancelled. */
  delete(id: string, options?: CallOptions): Promise<Intake> {
    return this.#transport.call('deleteIntake', { path: { id } }, options);
  }

  /** Imports intakes from JSON or CSV. An intake with a known `reference` is updated. */
  importMany(
    body: Calls['importIntakes']['body'],
    options?: CallOptions,
  ): Promise<Calls['importIntakes']['answer']> {
    return this.#transport.call('importIntakes', { body }, options);
  }

  /** Collects prices for an intake: one job per source, unless a live job already queries it. */
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

  /** Adds prices. Duplicates are stored once. */
  importPrices(
    id: string,
    body: Calls['importPricePoints']['body'],
    options?: CallOptions,
  ): Promise<ImportedPricePoints> {
    return this.#transport.call('importPricePoints', { path: { id }, body, repeatable: true }, options);
  }
}
