import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hashSecret, keyColumns, looksLikeSecret } from './keys.ts';

interface FoundKey extends ApiKey {
  readonly secret_hash: Buffer;
  readonly expired: boolean;
  readonly used_lately: boolean;
}

const findKeyStatement = statement<FoundKey>(
  'find-key',
  `
SELECT ${keyColumns}, secret_hash, expires_at <= now() IS TRUE AS expired,
  last_used_at > now() - interval '1 minute' IS TRUE AS used_lately
FROM api_keys WHERE secret_hash = $1`,
);

const noteUseStatement = statement<never>(
  'note-key-use',
  `UPDATE api_keys SET last_used_at = now()
   WHERE id = $1 AND (last_used_at > now() - interval '1 minute') IS NOT TRUE`,
);

/** How long a process may trust a key it has read: a revoked key stops working within this time. */
const rememberMs = 1_000;
const maxRemembered = 10_000;

/** Finds keys by their secrets and caches them briefly, so that a busy key is read once a second. */
export class KeyDirectory {
  readonly #db: Queryable;
  readonly #log: Logger;
  readonly #remembered = new Map<string, { readonly until: number; readonly key: Promise<ApiKey> }>();

  constructor(db: Queryable, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** The key with this secret; throws `key_invalid` when it must not be used. */
  async find(secret: string): Promise<ApiKey> {
    if (!looksLikeSecret(secret)) throw new HoldfastError('key_invalid');
    const hash = hashSecret(secret);
    const name = hash.toString('base64');
    const remembered = this.#remembered.get(name);
    if (remembered && remembered.until > performance.now()) return remembered.key;
    const key = this.#look(hash);
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(name, { until: performance.now() + rememberMs, key });
    key.catch(() => {
      if (this.#remembered.get(name)?.key === key) this.#remembered.delete(name);
    });
    return key;
  }

  async #look(hash: Buffer): Promise<ApiKey> {
    const [found] = await run(this.#db, findKeyStatement, [hash]);
    if (!found || !timingSafeEqual(found.secret_hash, hash)) throw new HoldfastError('key_invalid');
    const { secret_hash: _, expired, used_lately, ...key } = found;
    if (key.revoked_at) throw new HoldfastError('key_invalid', 'it was revoked');
    if (expired) throw new HoldfastError('key_invalid', 'it has expired');
    if (!used_lately) {
      run(this.#db, noteUseStatement, [key.id]).catch((error: unknown) =>
        this.#log.warn({ err: error, key: key.prefix }, 'Could not record when a key was last used'),
      );
    }
    return key;
  }
}

const findValidStatement = statement<{ id: string }>(
  'find-valid-keys',
  `SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL AND (expires_at <= now()) IS NOT TRUE`,
);

/** Which of these keys are still valid. Event streams outlive the check at their start. */
export async function findValidKeys(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await run(db, findValidStatement, [ids])).map(({ id }) => id));
}
