import { HoldfastError, type Job, type JobRequest } from '@holdfast/contract';
import type pg from 'pg';
import { Pipeline } from '../../base/database/pipeline.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { checkAllPatterns } from '../../web/urls/check-patterns.ts';
import { jobColumns } from './find-jobs.ts';
import { type CheckedRequest, checkRequest } from './job-request.ts';
import type { Notifier } from './notifications.ts';

export interface EnqueuedJob {
  readonly job: Job;
  /**
   * created       a new job
   * repeated      the idempotency key answered with the job of the first request
   * deduplicated  a live job with the dedupe key already does the work
   * conflict      the idempotency key belongs to a different request; nothing was written
   */
  readonly outcome: 'created' | 'repeated' | 'deduplicated' | 'conflict';
}

const requestRecord = `AS request (
    position integer, kind job_kind, executor job_executor, payload jsonb, priority smallint, run_at timestamptz,
    dedupe_key text, idempotency_key text, max_retries smallint, retry_backoff_seconds integer,
    timeout_seconds integer, lock_ttl_seconds integer, source_id text, user_id text, host text, intake_id uuid)`;

/*
 * Batches of one owner with keys take turns, because two that share keys in different orders would deadlock. The insert reads
 * `turn`, so it starts only once it has the lock.
 */
const enqueueStatement = statement<Job & { position: number }>(
  'enqueue',
  `
WITH request AS MATERIALIZED (
  SELECT uuid_v7() AS id, * FROM jsonb_to_recordset($1::jsonb) ${requestRecord} ORDER BY position
),
turn AS MATERIALIZED (
  SELECT pg_advisory_xact_lock(hashtextextended('enqueue ' || user_id, 0)) FROM (
    SELECT user_id FROM request WHERE idempotency_key IS NOT NULL OR dedupe_key IS NOT NULL
    GROUP BY user_id HAVING count(*) > 1 ORDER BY user_id
  ) keyed
),
created AS (
  INSERT INTO crawl_jobs (id, event_count, kind, executor, payload, priority, run_at, dedupe_key, idempotency_key, max_retries,
    retry_backoff_seconds, timeout_seconds, lock_ttl_seconds, source_id, user_id, host, intake_id)
  SELECT id, 1, kind, executor, payload, priority, CASE WHEN run_at > now() THEN run_at END, dedupe_key,
    idempotency_key, max_retries, retry_backoff_seconds, timeout_seconds, lock_ttl_seconds, source_id, user_id,
    host, intake_id
  FROM request WHERE (SELECT count(*) FROM turn) IS NOT NULL
  ON CONFLICT DO NOTHING
  RETURNING *
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor)
  SELECT id, event_count, 'enqueue', status, fence, $2 FROM created
)
SELECT position, ${jobColumns('created')} FROM created JOIN request USING (id)`,
);

/** The job that conflicts with each request: the one with its idempotency key, else the live one with its dedupe key. */
const findExistingStatement = statement<
  Job & { position: number; same: boolean; by_idempotency_key: boolean }
>(
  'enqueue-find-existing',
  `
SELECT position, job.same, job.by_idempotency_key, ${jobColumns('job')}
FROM jsonb_to_recordset($1::jsonb) ${requestRecord}
CROSS JOIN LATERAL (
  SELECT existing.*, true AS by_idempotency_key,
    (existing.kind, existing.payload) = (request.kind, request.payload) AS same
  FROM crawl_jobs existing
  WHERE existing.user_id = request.user_id AND existing.idempotency_key = request.idempotency_key
  UNION ALL
  SELECT existing.*, false, true FROM crawl_jobs existing
  WHERE existing.user_id = request.user_id AND existing.dedupe_key = request.dedupe_key
    AND existing.status IN ('pending', 'processing', 'retryable', 'paused')
  LIMIT 1
) job`,
);

/** A job without its source could only fail, long after its creator has gone. */
const unknownSourcesStatement = statement<{ id: string }>(
  'enqueue-unknown-sources',
  `
SELECT asked.id FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, position)
WHERE NOT EXISTS (SELECT FROM sources WHERE sources.id = asked.id) ORDER BY position LIMIT 1`,
);

/**
 * Creates jobs, all or none. With idempotency keys, a repetition after a lost answer creates nothing twice. `onSent` is called once
 * the creating statement has been sent.
 */
export async function enqueueJobs(
  db: Queryable,
  requests: readonly JobRequest[],
  actor = 'user:local',
  onSent?: () => void,
): Promise<EnqueuedJob[]> {
  const enqueued: EnqueuedJob[] = [];
  let left = requests.map(checkRequest);
  const crawls = left.filter(({ kind }) => kind === 'crawl');
  await checkAllPatterns(
    crawls.map(({ payload }) => payload),
    'payload',
  );
  await refuseUnknownSources(db, left);
  // A conflicting job may finish before it is looked up; then the request is tried again.
  while (left.length > 0) {
    const created = run(db, enqueueStatement, [JSON.stringify(left), actor]);
    onSent?.();
    for (const { position, ...job } of await created) {
      enqueued[position] = { job, outcome: 'created' };
    }
    left = left.filter(({ position }) => !enqueued[position]);
    if (left.length === 0) break;
    for (const row of await run(db, findExistingStatement, [JSON.stringify(left)])) {
      const { position, same, by_idempotency_key, ...job } = row;
      const outcome = !same ? 'conflict' : by_idempotency_key ? 'repeated' : 'deduplicated';
      enqueued[position] = { job, outcome };
    }
    left = left.filter(({ position }) => !enqueued[position]);
  }
  return enqueued;
}

/** Creates one job. Throws when its idempotency key was used for a different request. */
export async function enqueueJob(db: Queryable, request: JobRequest, actor?: string): Promise<EnqueuedJob> {
  const [enqueued] = unlessConflict(await enqueueJobs(db, [request], actor));
  if (!enqueued) throw new HoldfastError('internal_error', 'the queue gave no answer');
  return enqueued;
}

/** Throws when the idempotency key of one of the requests was used for a different one. */
export function unlessConflict(enqueued: EnqueuedJob[]): EnqueuedJob[] {
  const conflict = enqueued.find(({ outcome }) => outcome === 'conflict');
  if (!conflict) return enqueued;
  const { idempotency_key, id } = conflict.job;
  throw new HoldfastError('idempotency_conflict', `key ${idempotency_key} made job ${id}`);
}

/** Only collect jobs name a source of ours; for crawls and visits, source_id is the client's own reference. */
async function refuseUnknownSources(db: Queryable, requests: readonly CheckedRequest[]): Promise<void> {
  const asked = requests.flatMap(({ kind, source_id }) =>
    kind === 'collect' && source_id !== undefined ? [source_id] : [],
  );
  if (asked.length === 0) return;
  const [unknown] = await run(db, unknownSourcesStatement, [[...new Set(asked)]]);
  if (unknown) throw new HoldfastError('source_not_found', `source_id ${unknown.id}`);
}

export interface QueueClient {
  readonly pool: pg.Pool;
  readonly notifier: Notifier;
}

/**
 * Creates jobs, all or none, and wakes idle workers. The notification is pipelined right behind the creating statement, so the
 * server sends it as soon as the jobs are committed. If nothing was created, a worker polls once in vain.
 */
export async function enqueueAndWake(
  { pool, notifier }: QueueClient,
  requests: readonly JobRequest[],
  actor?: string,
): Promise<EnqueuedJob[]> {
  const connection = new Pipeline(pool);
  let woken: Promise<void> | undefined;
  const wake = () => {
    woken ??= notifier.notify('work', connection);
  };
  const enqueued = await enqueueJobs(connection, requests, actor, wake);
  await woken;
  return enqueued;
}
