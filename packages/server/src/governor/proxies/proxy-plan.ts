import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { EndpointReport } from '../../web/proxy/proxy-pool.ts';
import type { StoredProxy } from './stored-proxies.ts';

/** Everything a worker needs to choose proxies. */
export interface ProxyPlan {
  readonly proxies: readonly StoredProxy[];
  /** Proxy by host pattern; null: the source has none. Empty while no source has one. */
  readonly sources: ReadonlyMap<string, string | null>;
  readonly resting: readonly { readonly proxy: string; readonly server: string; readonly for_ms: number }[];
}

interface PlanRow {
  readonly proxies: readonly StoredProxy[] | null;
  readonly sources: readonly (readonly [pattern: string, proxy: string | null])[] | null;
  readonly resting: ProxyPlan['resting'] | null;
}

/* Sources without a proxy matter only where others have one: the closest pattern wins. */
const planStatement = statement<PlanRow>(
  'read-proxy-plan',
  `
SELECT
  (SELECT jsonb_agg(jsonb_build_object('name', name, 'rotation', rotation, 'resolves_names', resolves_names, 'cooldown_seconds',
    cooldown_seconds, 'may_be_private', may_be_private, 'secret_id', secret_id, 'edition', edition)) FROM proxies) AS proxies,
  (SELECT jsonb_agg(jsonb_build_array(pattern, proxy) ORDER BY id DESC)
    FROM sources, unnest(hosts) AS pattern
    WHERE configured AND EXISTS (SELECT FROM sources named WHERE named.proxy IS NOT NULL)) AS sources,
  (SELECT jsonb_agg(jsonb_build_object('proxy', proxy, 'server', server, 'for_ms', 1000 * extract(epoch FROM rests_until - now())))
    FROM proxy_health WHERE rests_until > now()) AS resting`,
);

export async function readProxyPlan(db: Queryable): Promise<ProxyPlan> {
  const [row] = await run(db, planStatement);
  return {
    proxies: row?.proxies ?? [],
    sources: new Map(row?.sources ?? []),
    resting: row?.resting ?? [],
  };
}

/* Ordered by key, so that workers that report the same servers cannot deadlock. */
const reportStatement = statement<never>(
  'report-proxies',
  `
INSERT INTO proxy_health AS known (proxy, server, address, requests, failures, last_success_at, last_failure_at, last_failure, rests_until)
SELECT proxy, endpoint, address, requests, failures, CASE WHEN succeeded THEN now() END, CASE WHEN failures > 0 THEN now() END,
  "lastFailure", CASE WHEN "coolingMs" > 0 THEN now() + make_interval(secs => "coolingMs" / 1000) END
FROM jsonb_to_recordset($1::jsonb) AS report (proxy text, endpoint text, address text, requests integer, failures integer,
  succeeded boolean, "lastFailure" text, "coolingMs" float8)
WHERE proxy = 'default' OR EXISTS (SELECT FROM proxies WHERE name = proxy)
ORDER BY proxy, endpoint
ON CONFLICT (proxy, server) DO UPDATE SET address = excluded.address,
  requests = known.requests + excluded.requests, failures = known.failures + excluded.failures,
  last_success_at = coalesce(excluded.last_success_at, known.last_success_at),
  last_failure_at = coalesce(excluded.last_failure_at, known.last_failure_at),
  last_failure = excluded.last_failure, rests_until = greatest(known.rests_until, excluded.rests_until)`,
);

export async function reportProxies(
  db: Queryable,
  reports: readonly (EndpointReport & { readonly proxy: string })[],
): Promise<void> {
  await run(db, reportStatement, [JSON.stringify(reports)]);
}
