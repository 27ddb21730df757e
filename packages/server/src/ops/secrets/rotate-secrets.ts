import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { seal, unseal } from '../../base/secrets/seal.ts';
import { newKey, type SecretKey, type SecretKeys } from '../../base/secrets/secret-keys.ts';

/** How many values each key seals. */
export interface KeyUse {
  readonly key_id: string;
  readonly secrets: number;
  /** Sites whose cookies a crawl keeps under this key. */
  readonly cookies: number;
}

/* A sealed value begins with its version, 1, and the id of its key; cookies of any visitor begin with 0. */
const usesStatement = statement<KeyUse>(
  'uses-of-secret-keys',
  `
SELECT key_id, sum(secrets)::int AS secrets, sum(cookies)::int AS cookies FROM (
  SELECT key_id, 1 AS secrets, 0 AS cookies FROM secrets
  UNION ALL
  SELECT encode(substring(cookies FROM 2 FOR 8), 'hex'), 0, 1 FROM crawl_cookies WHERE signed_in
) sealed GROUP BY key_id ORDER BY key_id`,
);

export function secretKeyUses(db: Queryable): Promise<KeyUse[]> {
  return run(db, usesStatement);
}

const secretsStatement = statement<{ id: string; sealed: Buffer }>(
  'secrets-of-other-keys',
  'SELECT id, sealed FROM secrets WHERE key_id <> $1 LIMIT 500',
);
/** Only what has not been replaced since it was read. */
const resealStatement = statement<never>(
  'reseal-secret',
  'UPDATE secrets SET key_id = $3, sealed = $4 WHERE id = $1 AND sealed = $2',
);
const cookiesStatement = statement<{ job_id: string; site: string; cookies: Buffer }>(
  'cookies-of-other-keys',
  `SELECT job_id, site, cookies FROM crawl_cookies
   WHERE signed_in AND encode(substring(cookies FROM 2 FOR 8), 'hex') <> $1 LIMIT 500`,
);
const resealCookiesStatement = statement<never>(
  'reseal-cookies',
  'UPDATE crawl_cookies SET cookies = $4 WHERE job_id = $1 AND site = $2 AND signed_in AND cookies = $3',
);

/**
 * Seals everything with one key: a new one, where the keys are in a file; the first of HOLDFAST_SECRET_KEY otherwise. The key before it
 * stays in the file until the next rotation, for what running processes are about to write.
 */
export async function rotateSecrets(
  db: Queryable,
  keys: SecretKeys,
): Promise<{ key: SecretKey; resealed: number }> {
  await refuseMissingKeys(db, keys);
  if (keys.isFile) {
    const before = keys.all;
    keys.replace([newKey(), ...before]);
  }
  const [key] = keys.all;
  if (!key) throw new HoldfastError('secret_key_missing', `${keys.place} has none`);
  const resealed = await resealAll(db, keys, key);
  if (keys.isFile) keys.replace(keys.all.slice(0, 2));
  return { key, resealed };
}

async function resealAll(db: Queryable, keys: SecretKeys, key: SecretKey): Promise<number> {
  let resealed = 0;
  for (;;) {
    const secrets = await run(db, secretsStatement, [key.id]);
    const cookies = await run(db, cookiesStatement, [key.id]);
    if (secrets.length + cookies.length === 0) return resealed;
    for (const { id, sealed } of secrets)
      await run(db, resealStatement, [id, sealed, key.id, seal(key, unseal(keys, sealed, id), id)]);
    for (const { job_id, site, cookies: sealed } of cookies) {
      const context = `${job_id} ${site}`;
      const again = seal(key, unseal(keys, sealed, context), context);
      await run(db, resealCookiesStatement, [job_id, site, sealed, again]);
    }
    resealed += secrets.length + cookies.length;
  }
}

/** Before anything is changed: what cannot be opened cannot be sealed again. */
async function refuseMissingKeys(db: Queryable, keys: SecretKeys): Promise<void> {
  const missing = (await secretKeyUses(db)).filter(({ key_id }) => !keys.find(key_id));
  if (missing.length === 0) return;
  throw new HoldfastError(
    'secret_key_missing',
    `${missing.map(({ key_id }) => key_id).join(', ')} is not in ${keys.place}`,
  );
}
