import {
  type ApiProxy,
  HoldfastError,
  type ProxySettings,
  parseProxyUrl,
  proxyAddress,
} from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import type { ProxyRotation } from '../../web/proxy/proxy-pool.ts';

/** A row of `proxies`. */
export interface StoredProxy {
  readonly name: string;
  readonly rotation: ProxyRotation;
  readonly resolves_names: boolean;
  readonly cooldown_seconds: number;
  readonly may_be_private: boolean;
  readonly secret_id: string;
  readonly edition: number;
}

/** Its sealed part. */
interface ProxySecret {
  readonly urls: readonly string[];
}

/* An unused proxy has no health yet. */
const listStatement = statement<ApiProxy>(
  'list-proxies',
  `
WITH known AS (
  SELECT name, rotation, resolves_names, cooldown_seconds, servers, created_at, updated_at FROM proxies
  UNION ALL
  SELECT 'default', 'round_robin', false, 30, array_agg(address ORDER BY server), NULL, NULL FROM proxy_health
  WHERE proxy = 'default' HAVING count(*) > 0
)
SELECT proxy.name, proxy.rotation, proxy.resolves_names, proxy.cooldown_seconds::float8 AS cooldown_seconds,
  proxy.created_at, proxy.updated_at,
  ARRAY(SELECT id FROM sources WHERE sources.proxy = proxy.name ORDER BY id LIMIT 100) AS sources,
  (SELECT jsonb_agg(jsonb_build_object('server', place.server, 'address', place.address,
      'state', CASE WHEN health.rests_until > now() THEN 'resting' WHEN health.last_failure IS NOT NULL THEN 'failing'
        WHEN health.requests > 0 THEN 'ok' ELSE 'unused' END,
      'requests', coalesce(health.requests, 0), 'failures', coalesce(health.failures, 0),
      'last_success_at', health.last_success_at, 'last_failure_at', health.last_failure_at,
      'last_failure', health.last_failure,
      'rests_until', CASE WHEN health.rests_until > now() THEN health.rests_until END) ORDER BY place.position)
    FROM (
      SELECT address, position,
        CASE WHEN cardinality(proxy.servers) = 1 THEN proxy.name ELSE proxy.name || '#' || position END AS server
      FROM unnest(proxy.servers) WITH ORDINALITY AS listed (address, position)
    ) place LEFT JOIN proxy_health health ON health.proxy = proxy.name AND health.server = place.server
  ) AS servers
FROM known proxy WHERE ($1::text IS NULL OR proxy.name = $1) AND proxy.name > $2
ORDER BY proxy.name LIMIT $3`,
);

/** In the order of their names, with the health of their servers, and without credentials. */
export async function listProxies(
  db: Queryable,
  { name, after = '', limit = 50 }: { name?: string; after?: string | undefined; limit?: number } = {},
): Promise<ApiProxy[]> {
  const rows = await run(db, listStatement, [name, after, Math.min(limit, 1001)]);
  return rows.map((row) => ({
    ...row,
    servers: row.servers.map((server) => ({
      ...server,
      last_success_at: dateOf(server.last_success_at),
      last_failure_at: dateOf(server.last_failure_at),
      rests_until: dateOf(server.rests_until),
    })),
  }));
}

export async function showProxy(db: Queryable, name: string): Promise<ApiProxy> {
  const [proxy] = await listProxies(db, { name });
  if (!proxy) throw new HoldfastError('proxy_not_found', name);
  return proxy;
}

/** Inside of jsonb, times are text. */
function dateOf(value: Date | string | null): Date | null {
  return value === null ? null : new Date(value);
}

const storedColumns = 'name, rotation, resolves_names, cooldown_seconds, may_be_private, secret_id, edition';
const findStatement = statement<StoredProxy>(
  'find-proxy',
  `SELECT ${storedColumns} FROM proxies WHERE name = $1`,
);

export async function findProxy(db: Queryable, name: string): Promise<StoredProxy | undefined> {
  const [found] = await run(db, findStatement, [name]);
  return found;
}

/** The URLs of its servers, with credentials. Throws where the key is missing. */
export async function proxyUrls(
  db: Queryable,
  secrets: SecretStore,
  { secret_id }: StoredProxy,
): Promise<readonly string[]> {
  return (await secrets.get<ProxySecret>(db, secret_id)).urls;
}

/* The stored health belongs to the previous servers. */
const writeStatement = statement<{ name: string }>(
  'write-proxy',
  `
WITH forgotten AS (
  DELETE FROM proxy_health WHERE proxy = $1
)
INSERT INTO proxies AS proxy (name, rotation, resolves_names, cooldown_seconds, servers, may_be_private, secret_id)
VALUES ($1, coalesce($2, 'round_robin'), coalesce($3::boolean, false), coalesce($4::real, 30), $5::text[], coalesce($6::boolean, false), $7::uuid)
ON CONFLICT (name) DO UPDATE SET
  rotation = coalesce($2, proxy.rotation), resolves_names = coalesce($3, proxy.resolves_names),
  cooldown_seconds = coalesce($4, proxy.cooldown_seconds), servers = excluded.servers,
  may_be_private = coalesce($6, proxy.may_be_private), secret_id = excluded.secret_id,
  edition = proxy.edition + 1, updated_at = now()
RETURNING name`,
);

export interface EditProxy extends ProxySettings {
  /** Only the command line may allow private addresses for the proxy itself. Undefined: unchanged. */
  readonly mayBePrivate?: boolean | undefined;
}

/** Creates or changes a proxy. Run it in a transaction. */
export async function writeProxy(
  db: Queryable,
  secrets: SecretStore,
  name: string,
  { urls, rotation, resolves_names, cooldown_seconds, mayBePrivate }: EditProxy,
): Promise<void> {
  const before = await findProxy(db, name);
  if (!before && !urls)
    throw new HoldfastError('proxy_not_found', name, { hint: 'To create it, give its urls.' });
  let secretId = before?.secret_id;
  if (urls) {
    const value: ProxySecret = { urls };
    if (secretId === undefined) secretId = await secrets.put(db, value);
    else await secrets.replace(db, secretId, value);
  }
  const known = urls ?? (before ? await proxyUrls(db, secrets, before) : []);
  await run(db, writeStatement, [
    name,
    rotation,
    resolves_names,
    cooldown_seconds,
    known.map((url) => proxyAddress(parseProxyUrl(url))),
    mayBePrivate,
    secretId,
  ]);
}

const deleteStatement = statement<{ secret_id: string; users: readonly string[] }>(
  'delete-proxy',
  `
WITH users AS (
  SELECT coalesce(array_agg(id), '{}') AS ids FROM (SELECT id FROM sources WHERE proxy = $1 LIMIT 5) named
),
gone AS (
  DELETE FROM proxies USING users WHERE name = $1 AND users.ids = '{}' RETURNING secret_id
),
forgotten AS (
  DELETE FROM proxy_health WHERE proxy = $1 AND EXISTS (SELECT FROM gone)
)
SELECT gone.secret_id, users.ids AS users FROM users LEFT JOIN gone ON true`,
);

/** Run it in a transaction. Throws while sources use it. */
export async function deleteProxy(db: Queryable, secrets: SecretStore, name: string): Promise<void> {
  const [row] = await run(db, deleteStatement, [name]);
  if (row && row.users.length > 0)
    throw new HoldfastError('proxy_in_use', `by the source ${row.users.join(', ')}`);
  if (!row?.secret_id) throw new HoldfastError('proxy_not_found', name);
  await secrets.remove(db, row.secret_id);
}
