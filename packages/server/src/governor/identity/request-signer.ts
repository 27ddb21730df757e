import { type Configuration, HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { identityHeaders, readKey, type SigningKey } from '../../web/fetch/sign-message.ts';
import { publishedKeys } from './identity-keys.ts';

interface LoadedKey {
  readonly key: SigningKey;
  readonly agent: string;
  /** By the monotonic clock. */
  readonly startsAt: number;
}

/** A rotation reaches all runs well within its lead. */
const reloadMs = 300_000;

interface RequestSignerOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly configuration: Pick<Configuration, 'secretKey' | 'dataFolder'>;
}

/** Signs the requests of a process while the operator has given the crawler an identity. */
export class RequestSigner {
  readonly #options: RequestSignerOptions;
  readonly #store: SecretStore;
  #keys: readonly LoadedKey[] = [];
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(options: RequestSignerOptions) {
    this.#options = options;
    this.#store = new SecretStore(new SecretKeys(options.configuration));
  }

  /** Requests before this has resolved are not signed. Never rejects: a crawl is worth more than its signature. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** In undici's format; empty without an identity. */
  headersFor(url: URL): readonly string[] {
    const now = performance.now();
    if (now > this.#loadedAt + reloadMs) void this.load();
    // The newest one that signs already.
    const current = this.#keys.find(({ startsAt }) => startsAt <= now);
    return current ? identityHeaders(url, current.agent, current.key) : [];
  }

  async #load(): Promise<void> {
    const { db, log } = this.#options;
    this.#loadedAt = performance.now();
    try {
      const known = new Map(this.#keys.map((loaded) => [loaded.key.id, loaded]));
      const keys: LoadedKey[] = [];
      for (const { id, secret_id, agent, starts_in_ms } of await publishedKeys(db))
        keys.push(
          known.get(id) ?? {
            key: readKey(await this.#store.get<string>(db, secret_id)),
            agent,
            startsAt: performance.now() + starts_in_ms,
          },
        );
      this.#keys = keys;
    } catch (error) {
      const hint = error instanceof HoldfastError ? ` ${error.hint}` : '';
      log.warn(
        { err: error },
        `Requests are ${this.#keys.length > 0 ? 'signed with the keys of before' : 'not signed'}: ${(error as Error).message}.${hint}`,
      );
    }
  }
}
