import { Listing } from './listing.ts';
import type { CreatedKey, CreateKeyBody, Key, ListKeysQuery } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates an API key. Only this response contains its secret. */
  create(key: CreateKeyBody, options?: CallOptions): Promise<CreatedKey> {
    return this.#transport.call('createKey', { body: key }, options);
  }

  /** Keys, newest first, including revoked and expired ones. */
  list(query: ListKeysQuery = {}, options?: CallOptions): Listing<Key> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listKeys', { query: { ...query, cursor } }, options),
    );
  }

  /** Revokes a key. */
  revoke(id: string, options?: CallOptions): Promise<Key> {
    return this.#transport.call('revokeKey', { path: { id }, repeatable: true }, options);
  }
}
