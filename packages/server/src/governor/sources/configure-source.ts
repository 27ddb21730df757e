import {
  type AdapterType,
  adapterConfigs,
  describeIssues,
  HoldfastError,
  type SourceSettings,
  sourceId,
  sourceSettings,
} from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type Source, sourceColumns } from './source.ts';

/** A host belongs to one configured source only: the first one keeps it. */
const configureStatement = statement<Source & { conflict: string | null; conflict_host: string }>(
  'configure-source',
  `
WITH given AS (
  SELECT * FROM jsonb_populate_record(NULL::sources, $2::jsonb)
),
conflict AS MATERIALIZED (
  SELECT source.id, (SELECT host FROM unnest(given.hosts) AS host WHERE host = ANY (source.hosts) LIMIT 1) AS host
  FROM sources source, given
  WHERE source.configured AND source.hosts && given.hosts AND source.id <> $1 LIMIT 1
),
changed AS (
  INSERT INTO sources AS source (id, configured, name, hosts, enabled, adapter_type, config, rate_limit_per_minute,
    concurrency, min_delay_ms, reputation_weight, tier, render, proxy)
  SELECT $1, true, coalesce(name, $1), coalesce(hosts, '{}'), coalesce(enabled, true), adapter_type,
    coalesce(config, '{}'), rate_limit_per_minute, coalesce(concurrency, 8), coalesce(min_delay_ms, 0),
    coalesce(reputation_weight, 0.5), coalesce(tier, 5), render, proxy
  FROM given WHERE NOT EXISTS (SELECT FROM conflict)
  ON CONFLICT (id) DO UPDATE SET configured = true,
    name = CASE WHEN $2::jsonb ? 'name' THEN excluded.name ELSE source.name END,
    hosts = CASE WHEN $2::jsonb ? 'hosts' THEN excluded.hosts ELSE source.hosts END,
    enabled = CASE WHEN $2::jsonb ? 'enabled' THEN excluded.enabled ELSE source.enabled END,
    adapter_type = CASE WHEN $2::jsonb ? 'adapter_type' THEN excluded.adapter_type ELSE source.adapter_type END,
    config = CASE WHEN $2::jsonb ? 'config' THEN excluded.config ELSE source.config END,
    rate_limit_per_minute = CASE WHEN $2::jsonb ? 'rate_limit_per_minute' THEN excluded.rate_limit_per_minute
      ELSE source.rate_limit_per_minute END,
    concurrency = CASE WHEN $2::jsonb ? 'concurrency' THEN excluded.concurrency ELSE source.concurrency END,
    min_delay_ms = CASE WHEN $2::jsonb ? 'min_delay_ms' THEN excluded.min_delay_ms ELSE source.min_delay_ms END,
    reputation_weight = CASE WHEN $2::jsonb ? 'reputation_weight' THEN excluded.reputation_weight
      ELSE source.reputation_weight END,
    tier = CASE WHEN $2::jsonb ? 'tier' THEN excluded.tier ELSE source.tier END,
    render = CASE WHEN $2::jsonb ? 'render' THEN excluded.render ELSE source.render END,
    proxy = CASE WHEN $2::jsonb ? 'proxy' THEN excluded.proxy ELSE source.proxy END
  RETURNING source
),
slot AS (
  INSERT INTO source_slots (source_id) SELECT (source).id FROM changed ON CONFLICT DO NOTHING
),
share AS (
  INSERT INTO source_shares (source_id) SELECT (source).id FROM changed ON CONFLICT DO NOTHING
)
SELECT ${sourceColumns}, conflict.id AS conflict, conflict.host AS conflict_host
FROM changed CROSS JOIN LATERAL source_state(changed.source) state
CROSS JOIN LATERAL (SELECT (changed.source).*) source FULL JOIN conflict ON true`,
);

/** Adds the hosts of an adapter to its source, so that its limits and breaker apply to them; unless other sources have them. */
const adoptStatement = statement<Pick<Source, 'hosts'>>(
  'adopt-hosts',
  `
UPDATE sources SET hosts = hosts || ARRAY(
  SELECT DISTINCT host FROM unnest($2::text[]) AS host
  WHERE host <> ALL (hosts)
    AND NOT EXISTS (SELECT FROM sources other WHERE other.configured AND other.hosts @> ARRAY[host] AND other.id <> $1))
WHERE id = $1 RETURNING hosts`,
);

/** Creates or changes a source. A default source that is changed counts as configured from then on. */
export async function configureSource(db: Queryable, id: string, settings: SourceSettings): Promise<Source> {
  const checked = sourceSettings.safeParse(settings);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  if (!sourceId.safeParse(id).success) throw new HoldfastError('bad_request', `${id} is no id of a source`);
  const { hosts } = await checkAdapter(db, id, checked.data);
  const [row] = await run(db, configureStatement, [id, JSON.stringify(checked.data)]);
  if (!row || row.conflict) {
    const { conflict, conflict_host } = row ?? {};
    throw new HoldfastError('bad_request', `${conflict_host} belongs to source ${conflict} already`, {
      hint: `A host has one source. Set the limits of ${conflict} instead, or its hosts without this one.`,
    });
  }
  const { conflict: _, conflict_host: __, ...source } = row;
  const [adopted] = hosts.length > 0 ? await run(db, adoptStatement, [id, hosts]) : [];
  return { ...source, ...adopted };
}

const currentStatement = statement<{ adapter_type: AdapterType | null; config: Record<string, unknown> }>(
  'current-adapter',
  'SELECT adapter_type, config FROM sources WHERE id = $1',
);

/**
 * Throws unless the source's adapter is valid with these settings. Workers check it again, because a configuration may be older
 * than the rules.
 */
async function checkAdapter(
  db: Queryable,
  id: string,
  settings: SourceSettings,
): Promise<{ hosts: string[] }> {
  if (settings.adapter_type === undefined && settings.config === undefined) return { hosts: [] };
  const [current] = await run(db, currentStatement, [id]);
  const type = settings.adapter_type === undefined ? current?.adapter_type : settings.adapter_type;
  if (!type) return { hosts: [] };
  const config = checked(adapterConfigs[type], settings.config ?? current?.config ?? {}, 'config');
  if (type === 'html') {
    // Loaded on demand: an HTML parser is slow to load, and commands start all the time.
    const { checkSelectors } = await import('./selectors.ts');
    checkSelectors(checked(adapterConfigs.html, config, 'config'));
  }
  return { hosts: hostsOf(config) };
}

/** The hosts that the adapter requests: of its URL, and of its tokens. */
function hostsOf(config: object): string[] {
  const { url, oauth } = config as { url?: string; oauth?: { token_url: string } };
  return [url, oauth?.token_url].flatMap((template) =>
    template === undefined ? [] : [new URL(template.replaceAll(/\{[^{}]*\}/g, 'x')).host],
  );
}
