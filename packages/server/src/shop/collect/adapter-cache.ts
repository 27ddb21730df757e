import { hash } from 'node:crypto';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { Listing } from '../points/listing.ts';

/** A question to a source: who is asked, how, and for what. */
export interface CachedQuestion {
  readonly sourceId: string;
  /** As cacheKey makes it. */
  readonly key: string;
  readonly adapterType: string | null;
  readonly config: Record<string, unknown>;
}

export interface CachedAnswer {
  readonly listings: Listing[];
  readonly stored_at: Date;
}

const readStatement = statement<CachedAnswer>(
  'read-adapter-cache',
  `
SELECT listings, stored_at FROM adapter_cache
WHERE source_id = $1 AND key_hash = $2 AND config_hash = $3 AND expires_at > now()`,
);

const storeStatement = statement<never>(
  'store-adapter-cache',
  `
INSERT INTO adapter_cache AS cached (source_id, key_hash, key, config_hash, listings, stored_at, expires_at)
VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(secs => $6))
ON CONFLICT (source_id, key_hash) DO UPDATE SET config_hash = excluded.config_hash, listings = excluded.listings,
  stored_at = excluded.stored_at, expires_at = excluded.expires_at`,
);

const pruneStatement = statement<never>(
  'prune-adapter-cache',
  'DELETE FROM adapter_cache WHERE expires_at < now()',
);

/** What a source answered not long ago, to whichever worker. */
export async function readAdapterCache(
  db: Queryable,
  question: CachedQuestion,
): Promise<CachedAnswer | undefined> {
  const { sourceId, key } = question;
  const [answer] = await run(db, readStatement, [sourceId, sha256(key), configHash(question)]);
  return answer;
}

/** Keeps an answer for a while. An empty one is not kept: what is not there yet may be there in a minute. */
export async function storeAdapterCache(
  db: Queryable,
  question: CachedQuestion,
  listings: readonly Listing[],
  ttlSeconds: number,
): Promise<void> {
  if (listings.length === 0) return;
  const { sourceId, key } = question;
  await run(db, storeStatement, [
    sourceId,
    sha256(key),
    key,
    configHash(question),
    JSON.stringify(listings),
    ttlSeconds,
  ]);
}

export async function pruneAdapterCache(db: Queryable): Promise<void> {
  await run(db, pruneStatement);
}

function configHash({ adapterType, config }: CachedQuestion): Buffer {
  return sha256(`${adapterType} ${JSON.stringify(config)}`);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
