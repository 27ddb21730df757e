import type { BreakerState, PauseReason } from '@holdfast/contract';

/** A place on the outside, as operators see it. */
export interface Source {
  readonly id: string;
  readonly name: string;
  /** Exact hosts, and `*.example.com` for every host below one. */
  readonly hosts: string[];
  /** false: made by itself when a host was first asked for. */
  readonly configured: boolean;
  readonly enabled: boolean;
  readonly adapter_type: string | null;
  readonly config: Record<string, unknown>;
  readonly rate_limit_per_minute: number | null;
  readonly concurrency: number;
  readonly min_delay_ms: number;
  /** As robots.txt asks. */
  readonly crawl_delay_ms: number | null;
  readonly reputation_weight: number;
  readonly tier: number;
  /** In a row, of visits and collections; of crawls, failed connections. */
  readonly failure_streak: number;
  /** Of crawls in a row that failed, each counted once. */
  readonly failed_urls: number;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  /** Infinity: until an operator resumes it. In the past, with the reason `failures`: one probe decides. */
  readonly paused_until: Date | number | null;
  readonly pause_reason: PauseReason | null;
  /** Error code of why a host of it cannot be had at all, such as dns_failed; null after its next good answer. */
  readonly trouble: string | null;
  readonly trouble_host: string | null;
  readonly trouble_since: Date | null;
  /** How many times fewer requests at a time it gets, because its answers take longer; 1 when all is well. */
  readonly slowdown: number;
  /** Requests a minute it gets at most, because it refused more; null when all is well. */
  readonly pace_per_minute: number | null;
  /** What its pace was lowered for: this share of so many answers was refused or failed. Null without a pace. */
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
  'reputation_weight',
  'tier',
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

/** Of the alias `source`. */
export const breakerState = `CASE
  WHEN source.pause_reason IS DISTINCT FROM 'failures' THEN 'closed'
  WHEN source.paused_until > now() THEN 'open' ELSE 'half_open' END`;

/** The columns of a Source, to be read from the alias `source`; `state` is its source_state. */
export const sourceColumns = `${columns.map((column) => `source.${column}`).join(', ')}, state.slowdown, state.pace_per_minute,
  CASE WHEN state.pace_per_minute IS NOT NULL THEN source.overload_share END AS slowed_share,
  CASE WHEN state.pace_per_minute IS NOT NULL THEN source.overload_answers END AS slowed_answers,
  state.paused_until_ms > epoch_ms(clock_timestamp()) AS paused, ${breakerState} AS breaker`;
