import { isLive, type JobRequest } from '@holdfast/contract';
import type { EnqueuedJob } from '../enqueue-jobs.ts';
import { type JobRecord, type Moment, second } from './job-record.ts';
import type { QueueModel } from './queue-model.ts';

export interface ModelAnswer {
  readonly job: JobRecord;
  readonly outcome: EnqueuedJob['outcome'];
}

/** The longest time for one command. Bounds created_at, which comes from the clock, not from the transaction. */
const slowest = 60 * second;

/** A newly created job. */
function newRecord({ jobs, now }: QueueModel) {
  return {
    id: `new ${jobs.length}`,
    status: 'pending',
    requested_action: null,
    progress_percentage: 0,
    retry_count: 0,
    failed_starts: 0,
    failed_start_worker: null,
    lease_seconds: null,
    fence: 0,
    created_at: { from: now, to: now + slowest },
    run_at: null,
    next_retry_at: null,
    started_at: null,
    last_heartbeat: null,
    lease_expires_at: null,
    completed_at: null,
    worker_id: null,
    idempotency_key: null,
    rerun_of: null,
    error_code: null,
    error_message: null,
  } satisfies Partial<JobRecord>;
}

/** An idempotency key answers first, whatever became of its job; then a live job with the dedupe key, of this owner. */
export function enqueueInModel(model: QueueModel, request: JobRequest, actor: string): ModelAnswer {
  const { user_id = 'local', dedupe_key = null, idempotency_key = null } = request;
  const owned = model.jobs.filter((job) => job.user_id === user_id);
  const url = 'url' in request.payload ? String(request.payload.url) : 'query';
  const first = owned.find((job) => idempotency_key !== null && job.idempotency_key === idempotency_key);
  if (first) {
    const same = first.kind === request.kind && first.url === url;
    return { job: first, outcome: same ? 'repeated' : 'conflict' };
  }
  const twin = owned.find(
    (job) => dedupe_key !== null && job.dedupe_key === dedupe_key && isLive(job.status),
  );
  if (twin) return { job: twin, outcome: 'deduplicated' };

  const runAt: Moment | null = request.run_at ? Date.parse(request.run_at) * 1000 : null;
  const job: JobRecord = {
    ...newRecord(model),
    kind: request.kind,
    executor: ('executor' in request && request.executor) || 'builtin',
    priority: request.priority ?? 0,
    max_retries: request.max_retries ?? 3,
    retry_backoff_seconds: request.retry_backoff_seconds ?? 300,
    timeout_seconds: request.timeout_seconds ?? null,
    lock_ttl_seconds: request.lock_ttl_seconds ?? null,
    run_at: runAt !== null && runAt > model.now ? runAt : null,
    user_id,
    dedupe_key,
    idempotency_key,
    url,
  };
  model.jobs.push(job);
  model.record(job, 'enqueue', null, actor);
  return { job, outcome: 'created' };
}

/**
 * A completed visit or collect job is rerun as a new job with the same request. Its dedupe key, or the id of the older job, limits it
 * to one live job. Returns that live job if it is a rerun of this one, undefined if another job holds the key.
 */
export function rerunInModel(model: QueueModel, older: JobRecord, actor: string): ModelAnswer | undefined {
  const own = older.dedupe_key?.startsWith('rerun:') ? null : older.dedupe_key;
  const dedupe_key = own ?? `rerun:${older.id}`;
  const holder = model.jobs.find(
    (job) => job.user_id === older.user_id && job.dedupe_key === dedupe_key && isLive(job.status),
  );
  if (holder) return holder.rerun_of === older.id ? { job: holder, outcome: 'repeated' } : undefined;
  const { kind, executor, priority, max_retries, retry_backoff_seconds, timeout_seconds } = older;
  const { lock_ttl_seconds, user_id, url } = older;
  const request = { kind, executor, priority, max_retries, retry_backoff_seconds, user_id, dedupe_key };
  const job: JobRecord = {
    ...newRecord(model),
    ...request,
    ...{ timeout_seconds, lock_ttl_seconds, url, rerun_of: older.id },
  };
  model.jobs.push(job);
  model.record(job, 'enqueue', null, actor);
  return { job, outcome: 'created' };
}
