import { errors } from '@holdfast/contract';
import type { SitePreference } from '../../governor/robots/content-preferences.ts';
import type { SourceFilter } from '../../governor/sources/list-sources.ts';
import type { Source } from '../../governor/sources/source.ts';
import { formatAgo, formatMoment } from '../format-values.ts';
import { printMore } from '../list-options.ts';
import { type Field, printFields, printTable } from '../print-table.ts';
import { shorten } from '../terminal-text.ts';

export function printSources(sources: readonly Source[], { limit = 50, ...filter }: SourceFilter): void {
  if (sources.length === 0) {
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    console.log(
      isFiltered ? 'No matching sources.' : 'No sources yet: a host gets one with its first request.',
    );
    return;
  }
  printTable(
    ['ID', 'STATE', 'PER MINUTE', 'CONCURRENT', 'DELAY', 'FAILURES', 'LAST SUCCESS', 'HOSTS'],
    sources.map((source) => [
      source.id,
      stateOf(source),
      source.rate_limit_per_minute ?? 'any',
      source.concurrency,
      delayOf(source),
      Math.max(source.failure_streak, source.failed_urls),
      source.last_success_at ? formatAgo(source.last_success_at) : 'never',
      shorten(source.hosts.join(' '), 60),
    ]),
  );
  if (sources.length === limit) printMore(sources.at(-1)?.id);
}

export function printSource(source: Source, preferences: readonly SitePreference[] = []): void {
  const lines: Field[] = [
    ['source', source.id],
    ['name', source.name],
    ['hosts', source.hosts.join(' ')],
    ['state', stateOf(source)],
    ['configured', source.configured ? 'yes' : 'no: created with the first request to the host'],
    [
      'rate limit',
      source.rate_limit_per_minute === null ? 'none' : `${source.rate_limit_per_minute} per minute`,
    ],
    ['concurrency', String(source.concurrency)],
    ['delay', delayOf(source)],
    ['failures', failuresOf(source)],
    ['last success', formatMoment(source.last_success_at)],
    ['last failure', formatMoment(source.last_failure_at)],
    ['proxy', source.proxy],
    ['weight', String(source.reputation_weight)],
    ['tier', String(source.tier)],
    ['render', source.render ?? 'auto'],
    ['adapter', source.adapter_type],
    ['config', Object.keys(source.config).length > 0 && JSON.stringify(source.config)],
    ['created', formatMoment(source.created_at)],
    ...preferences.map((preference): Field => [preference.kind, preferenceText(preference)]),
  ];
  printFields(lines);
}

function preferenceText({ value, agents, path, origin }: SitePreference): string {
  const whom = agents.length === 0 || agents.includes('*') ? '' : ` for ${agents.join(', ')}`;
  return shorten(`${value}${path === undefined ? '' : ` at ${path}`}${whom} (${origin})`, 200);
}

function failuresOf({ failure_streak, failed_urls }: Source): string {
  const urls = failed_urls > 0 ? `, ${failed_urls} URLs of crawls in a row` : '';
  return `${failure_streak} in a row${urls}`;
}

function stateOf(source: Source): string {
  const { enabled, paused, paused_until, pause_reason, breaker, slowdown } = source;
  if (!enabled) return 'disabled';
  if (paused) {
    const until =
      paused_until instanceof Date ? `until ${paused_until.toISOString()}` : 'until it is resumed';
    return `paused ${until} (${pause_reason})`;
  }
  if (breaker === 'half_open') return 'half open: one probe decides';
  const trouble = troubleText(source);
  if (trouble) return trouble;
  return (
    slowedText(source) ??
    (slowdown > 1 ? 'slowed: fewer requests at a time, because its answers take longer' : 'ready')
  );
}

function troubleText({ trouble, trouble_host, trouble_since }: Source): string | undefined {
  if (trouble === null) return undefined;
  const said = (errors as Record<string, { message: string } | undefined>)[trouble]?.message ?? trouble;
  const since = trouble_since ? ` (first seen ${formatAgo(trouble_since)})` : '';
  return `${trouble}: ${trouble_host ? `${trouble_host}: ` : ''}${said}${since}`;
}

function slowedText({ pace_per_minute, slowed_share, slowed_answers }: Source): string | undefined {
  if (pace_per_minute === null) return undefined;
  const share = Math.max(1, Math.round((slowed_share ?? 0) * 100));
  return `slowed to ${Math.max(1, Math.round(pace_per_minute))} per minute: ${share} % of ${slowed_answers} answers were refused or failed`;
}

function delayOf({ min_delay_ms, crawl_delay_ms }: Source): string {
  const delay = Math.max(min_delay_ms, crawl_delay_ms ?? 0);
  return delay === 0 ? 'none' : `${delay} ms`;
}
