import { hash } from 'node:crypto';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { foldText } from '../points/match-strength.ts';
import type { Listing } from '../points/price-point.ts';

/** A request to a source: which source, with which configuration, for which item. */
interface CachedQuestion {
  readonly sourceId: string;
  /** From cacheKey. */
  readonly key: string;
  readonly adapterType: string | null;
  readonly config: Record<string, unknown>;
}

interface CachedAnswer {
  readonly listings: Listing[];
  readonly stored_at: Date;
}

const readStatement = statement<CachedAnswer>(
  'read-adapter-cache',
  `
SELECT listings, stored_at FROM adapter_cache
WHERE source_id = $1 AND key_hash = $2 AND config_hash = $3 AND expires_at > now()`,
);

/** A recent answer of a source, to any worker. */
export async function readAdapterCache(
  db: Queryable,
  question: CachedQuestion,
): Promise<CachedAnswer | undefined> {
  const { sourceId, key } = question;
  const [answer] = await run(db, readStatement, [sourceId, sha256(key), configHash(question)]);
  return answer;
}

const storeStatement = statement<never>(
  'store-adapter-cache',
  `
INSERT INTO adapter_cache AS cached (source_id, key_hash, key, config_hash, listings, stored_at, expires_at)
VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(secs => $6))
ON CONFLICT (source_id, key_hash) DO UPDATE SET config_hash = excluded.config_hash, listings = excluded.listings,
  stored_at = excluded.stored_at, expires_at = excluded.expires_at`,
);

/** Caches an answer. Empty ones are not cached: listings may appear any minute. */
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

const pruneStatement = statement<never>(
  'prune-adapter-cache',
  'DELETE FROM adapter_cache WHERE expires_at < now()',
);

export async function pruneAdapterCache(db: Queryable): Promise<void> {
  await run(db, pruneStatement);
}

function configHash({ adapterType, config }: CachedQuestion): Buffer {
  return sha256(`${adapterType} ${JSON.stringify(config)}`);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The attributes of a coin, in the order of the key. */
const coinFields = ['year', 'mintmark', 'denomination', 'series', 'title'] as const;

/**
 * The key of a source's answer: `source|year|mintmark|denomination|series|title` for coins. Other attributes follow by name, so that
 * two items never share an answer.
 */
export function cacheKey(sourceId: string, attributes: Readonly<Record<string, unknown>>): string {
  const isCoinField = new Set<string>(coinFields);
  const others = Object.keys(attributes)
    .filter((name) => !isCoinField.has(name) && valueText(attributes[name]) !== '')
    .sort()
    .map((name) => `${foldText(name)}=${valueText(attributes[name])}`);
  return [sourceId, ...coinFields.map((name) => valueText(attributes[name])), ...others].join('|');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return foldText(text).replaceAll('|', '¦');
}
