import { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { makeKey } from '../../web/fetch/sign-message.ts';

/** A key of the crawler's identity, without its private half. */
export interface IdentityKey {
  readonly id: string;
  readonly public_key: string;
  /** Origin that serves the key directory. */
  readonly agent: string;
  readonly created_at: Date;
  readonly active_from: Date;
  readonly retired_at: Date | null;
  readonly status: 'upcoming' | 'signing' | 'retiring';
}

/** Sites that have cached the key directory must see a new key before it signs. */
export const leadSeconds = 3_600;
/** What a replaced key has signed can be verified for this long. */
const overlapSeconds = 86_400;

const publishedStatement = statement<
  IdentityKey & { readonly secret_id: string; readonly starts_in_ms: number }
>(
  'published-identity-keys',
  `
SELECT id, public_key, secret_id, agent, created_at, active_from, retired_at,
  1000 * extract(epoch FROM active_from - now())::float8 AS starts_in_ms,
  CASE WHEN active_from > now() THEN 'upcoming'
    WHEN row_number() OVER (PARTITION BY active_from > now() ORDER BY active_from DESC) = 1 THEN 'signing'
    ELSE 'retiring' END AS status
FROM identity_keys WHERE retired_at IS NULL OR retired_at > now() ORDER BY active_from DESC, id`,
);

/** The keys that the directory lists, the newest first. Empty: requests are not signed. */
export function publishedKeys(
  db: Queryable,
): Promise<(IdentityKey & { readonly secret_id: string; readonly starts_in_ms: number })[]> {
  return run(db, publishedStatement);
}

const lockStatement = statement<never>(
  'lock-identity-keys',
  'LOCK TABLE identity_keys IN SHARE ROW EXCLUSIVE MODE',
);
const insertStatement = statement<never>(
  'insert-identity-key',
  `
INSERT INTO identity_keys (id, public_key, secret_id, agent, active_from)
VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5::float8))`,
);
const retireStatement = statement<never>(
  'retire-identity-keys',
  `
UPDATE identity_keys SET retired_at = now() + make_interval(secs => $2::float8)
WHERE id <> $1 AND retired_at IS NULL`,
);
const removeStatement = statement<{ secret_id: string }>(
  'remove-identity-keys',
  'DELETE FROM identity_keys WHERE id <> $1 AND ($2 OR retired_at <= now()) RETURNING secret_id',
);

/** Makes the first key. From now on requests are signed. */
export function createIdentity(db: pg.Pool, store: SecretStore, agent: string): Promise<void> {
  return inTransaction(db, async (client) => {
    await run(client, lockStatement);
    const [first] = await publishedKeys(client);
    if (first) throw new HoldfastError('identity_exists', `it signs as ${first.agent}`);
    await insertKey(client, store, agent, 0);
  });
}

/**
 * Makes another key, which signs after an hour; the one before stays in the directory for a day after that. `atOnce`: the key before
 * is known to others. It leaves the directory now.
 */
export function rotateIdentity(
  db: pg.Pool,
  store: SecretStore,
  { atOnce }: { atOnce: boolean },
): Promise<void> {
  return inTransaction(db, async (client) => {
    await run(client, lockStatement);
    const [newest] = await publishedKeys(client);
    if (!newest) throw new HoldfastError('identity_missing');
    const lead = atOnce ? 0 : leadSeconds;
    const id = await insertKey(client, store, newest.agent, lead);
    await run(client, retireStatement, [id, lead + overlapSeconds]);
    await removeKeys(client, store, id, atOnce);
  });
}

/** Requests are not signed any more. */
export function removeIdentity(db: pg.Pool, store: SecretStore): Promise<void> {
  return inTransaction(db, async (client) => {
    await run(client, lockStatement);
    if ((await removeKeys(client, store, '', true)) === 0) throw new HoldfastError('identity_missing');
  });
}

async function insertKey(db: Queryable, store: SecretStore, agent: string, lead: number): Promise<string> {
  const { key, secret } = makeKey();
  await run(db, insertStatement, [key.id, key.x, await store.put(db, secret), agent, lead]);
  return key.id;
}

async function removeKeys(db: Queryable, store: SecretStore, but: string, all: boolean): Promise<number> {
  const removed = await run(db, removeStatement, [but, all]);
  for (const { secret_id } of removed) await store.remove(db, secret_id);
  return removed.length;
}
