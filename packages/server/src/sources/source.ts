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
  readonly failure_streak: number;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  /** Infinity: until an operator resumes it. In the past, with the reason `failures`: one probe decides. */
  readonly paused_until: Date | number | null;
  readonly pause_reason: PauseReason | null;
  /** How many times slower than its limits it is taken now; 1 when all is well. */
  readonly slowdown: number;
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
  'last_success_at',
  'last_failure_at',
  'paused_until',
  'pause_reason',
  'created_at',
] as const satisfies (keyof Source)[];

/** Of the alias `source`. */
export const breakerState = `CASE
  WHEN source.pause_reason IS DISTINCT FROM 'failures' THEN 'closed'
  WHEN source.paused_until > now() THEN 'open' ELSE 'half_open' END`;

/** The columns of a Source, to be read from the alias `source`; `state` is its source_state. */
export const sourceColumns = `${columns.map((column) => `source.${column}`).join(', ')}, state.slowdown,
  state.paused_until_ms > epoch_ms(clock_timestamp()) AS paused, ${breakerState} AS breaker`;
