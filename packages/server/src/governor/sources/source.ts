import type { ApiSource, BreakerState, PauseReason, RenderMode } from '@holdfast/contract';

/** A site or API that requests go to, as operators see it: one or more hosts that share limits. */
export interface Source {
  readonly id: string;
  readonly name: string;
  /** Exact hosts, and `*.example.com` for all subdomains. */
  readonly hosts: string[];
  /** false: created automatically with the first request to a host. */
  readonly configured: boolean;
  readonly enabled: boolean;
  readonly adapter_type: string | null;
  readonly config: Record<string, unknown>;
  readonly rate_limit_per_minute: number | null;
  readonly concurrency: number;
  readonly min_delay_ms: number;
  /** From robots.txt. */
  readonly crawl_delay_ms: number | null;
  /** For requests to its hosts; `direct`: none. Null: that of the job, or HOLDFAST_PROXY. */
  readonly proxy: string | null;
  readonly reputation_weight: number;
  readonly tier: number;
  /** Whether its pages run in a browser, for jobs that leave it to the source. */
  readonly render: RenderMode | null;
  /** Consecutive failures of visits and collections; of crawls, failed connections. */
  readonly failure_streak: number;
  /** Consecutive URLs of crawls that failed, each counted once. */
  readonly failed_urls: number;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  /** Infinity: until an operator resumes it. In the past with the reason `failures`: the next probe decides. */
  readonly paused_until: Date | number | null;
  readonly pause_reason: PauseReason | null;
  /** Why one of its hosts is unreachable, such as dns_failed; null after the next good answer. */
  readonly trouble: string | null;
  readonly trouble_host: string | null;
  readonly trouble_since: Date | null;
  /** Divides the concurrency while answers are slow; 1 normally. */
  readonly slowdown: number;
  /** Maximum requests per minute after it refused some; null normally. */
  readonly pace_per_minute: number | null;
  /** Why its pace was lowered: this share of so many answers was refused or failed. Null without a pace. */
  readonly slowed_share: number | null;
  readonly slowed_answers: number | null;
  readonly created_at: Date;
  /** Whether no request may start now. */
  readonly paused: boolean;
  readonly breaker: BreakerState;
}

const columns = [
  'id',
  'name',
  'hosts',
  'configured',
  'enabled',
  'adapter_type',
  'config',
  'rate_limit_per_minute',
  'concurrency',
  'min_delay_ms',
  'crawl_delay_ms',
  'proxy',
  'reputation_weight',
  'tier',
  'render',
  'failure_streak',
  'failed_urls',
  'last_success_at',
  'last_failure_at',
  'paused_until',
  'pause_reason',
  'trouble',
  'trouble_host',
  'trouble_since',
  'created_at',
] as const satisfies (keyof Source)[];

/** SQL for the breaker's state; `source` is the alias of the table. */
export const breakerState = `CASE
  WHEN source.pause_reason IS DISTINCT FROM 'failures' THEN 'closed'
  WHEN source.paused_until > now() THEN 'open' ELSE 'half_open' END`;

/** The columns of a Source; `source` is the alias of the table, `state` that of its source_state. */
export const sourceColumns = `${columns.map((column) => `source.${column}`).join(', ')}, state.slowdown, state.pace_per_minute,
  CASE WHEN state.pace_per_minute IS NOT NULL THEN source.overload_share END AS slowed_share,
  CASE WHEN state.pace_per_minute IS NOT NULL THEN source.overload_answers END AS slowed_answers,
  state.paused_until_ms > epoch_ms(clock_timestamp()) AS paused, ${breakerState} AS breaker`;

/** A source as the API shows it. The configuration of an adapter may contain secrets of the operator. */
export function sourceView(
  source: Source,
  { seesEveryOwner }: { readonly seesEveryOwner: boolean },
): ApiSource {
  const { paused_until } = source;
  return {
    ...source,
    config: seesEveryOwner ? source.config : null,
    paused_until: source.paused && source.enabled && paused_until instanceof Date ? paused_until : null,
  };
}
