import type { Executor, JobKind, JobStatus, RequestedAction, TransitionName } from '@holdfast/contract';

/** Microseconds since 1970, the precision of PostgreSQL's timestamps. */
export type Moment = number;

export const second = 1_000_000;

/** A time that randomness or the clock decides within bounds; replaced by the database's value once that was checked. */
export interface Between {
  readonly from: Moment;
  readonly to: Moment;
}

/** A row of crawl_jobs, as the model expects it and as the database shows it. */
export interface JobRecord {
  id: string;
  kind: JobKind;
  executor: Executor;
  status: JobStatus;
  requested_action: RequestedAction | null;
  priority: number;
  progress_percentage: number;
  retry_count: number;
  failed_starts: number;
  failed_start_worker: string | null;
  max_retries: number;
  retry_backoff_seconds: number;
  timeout_seconds: number | null;
  lock_ttl_seconds: number | null;
  lease_seconds: number | null;
  fence: number;
  created_at: Moment | Between;
  run_at: Moment | null;
  next_retry_at: Moment | Between | null;
  started_at: Moment | null;
  last_heartbeat: Moment | null;
  lease_expires_at: Moment | null;
  completed_at: Moment | null;
  worker_id: string | null;
  user_id: string;
  dedupe_key: string | null;
  idempotency_key: string | null;
  rerun_of: string | null;
  error_code: string | null;
  error_message: string | null;
  url: string;
}

/** Every column of crawl_jobs that holds a time: when time passes, all of them move. */
export const momentColumns = [
  'created_at',
  'run_at',
  'next_retry_at',
  'started_at',
  'last_heartbeat',
  'lease_expires_at',
  'completed_at',
] as const satisfies (keyof JobRecord)[];

export interface EventRecord {
  job_id: string;
  event_no: number;
  transition: TransitionName;
  from_status: JobStatus | null;
  to_status: JobStatus;
  fence: number;
  at: Moment;
  actor: string;
}

export function isBetween(moment: Moment | Between | null): moment is Between {
  return typeof moment === 'object' && moment !== null;
}
