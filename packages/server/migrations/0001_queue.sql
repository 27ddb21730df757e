-- The queue: one table of jobs, and the record of everything that happened to them.
-- The enums and the checks below restate packages/contract/src/job-lifecycle.ts; a test holds them to it.

CREATE TYPE job_kind AS ENUM ('crawl', 'visit', 'collect');
CREATE TYPE job_executor AS ENUM ('builtin', 'bot');
CREATE TYPE job_status AS ENUM
  ('pending', 'processing', 'retryable', 'paused', 'completed', 'failed', 'cancelled', 'expired');
CREATE TYPE job_action AS ENUM ('pause', 'cancel');
CREATE TYPE job_transition AS ENUM
  ('enqueue', 'claim', 'complete', 'retryLater', 'retryNow', 'fail', 'release', 'crash', 'recover',
   'pause', 'resume', 'cancel', 'expire', 'resetLock', 'retry', 'retryUrls');

-- RFC 9562 version 7: ids grow with time, so that the primary key is also the order of creation and its pages stay warm.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(
      set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
          FROM 1 FOR 6),
        52, 1),
      53, 1),
    'hex')::uuid
$$;

-- Each of its lives (pending, processing, finished) adds an entry for the same id to the primary key: room for them on the
-- page spares the splits (measured: 8 % of the CPU of claim and completion). Columns that are never null come first, those
-- of fixed width before the others: PostgreSQL then finds them without counting.
CREATE TABLE crawl_jobs (
  id                    uuid DEFAULT uuid_v7() PRIMARY KEY WITH (fillfactor = 40),
  created_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A holder's every write names its fence. It only grows: with each claim, and when an operator takes a lease away.
  fence                 bigint NOT NULL DEFAULT 0,
  event_count           integer NOT NULL DEFAULT 1,
  retry_backoff_seconds integer NOT NULL DEFAULT 300,
  kind                  job_kind NOT NULL,
  executor              job_executor NOT NULL DEFAULT 'builtin',
  status                job_status NOT NULL DEFAULT 'pending',
  priority              smallint NOT NULL DEFAULT 0,
  progress_percentage   smallint NOT NULL DEFAULT 0 CHECK (progress_percentage BETWEEN 0 AND 100),
  retry_count           smallint NOT NULL DEFAULT 0,
  max_retries           smallint NOT NULL DEFAULT 3,
  user_id               text NOT NULL DEFAULT 'local',
  payload               jsonb NOT NULL,
  run_at                timestamptz,
  next_retry_at         timestamptz,
  started_at            timestamptz,
  last_heartbeat        timestamptz,
  lease_expires_at      timestamptz,
  completed_at          timestamptz,
  lease_seconds         real,
  timeout_seconds       integer,
  lock_ttl_seconds      integer,
  requested_action      job_action,
  worker_id             text,
  source_id             text,
  dedupe_key            text,
  idempotency_key       text,
  error_code            text,
  error_message         text,

  CONSTRAINT retryable_has_next_retry CHECK ((status = 'retryable') = (next_retry_at IS NOT NULL)),
  CONSTRAINT processing_has_lease CHECK ((status = 'processing') = (lease_expires_at IS NOT NULL)),
  CONSTRAINT processing_has_worker CHECK (status <> 'processing' OR worker_id IS NOT NULL),
  CONSTRAINT waiting_has_no_worker CHECK (status NOT IN ('pending', 'retryable', 'paused') OR worker_id IS NULL),
  CONSTRAINT finished_has_completed_at CHECK
    ((status IN ('completed', 'failed', 'cancelled', 'expired')) = (completed_at IS NOT NULL)),
  -- Kept on a completed job: the request that came too late.
  CONSTRAINT request_of_running_job CHECK (requested_action IS NULL OR status IN ('processing', 'completed')),
  CONSTRAINT retries_within_limit CHECK (retry_count BETWEEN 0 AND max_retries)
)
-- Room on every page for renewals to be HOT: no index, not even a predicate, names a column that they change.
WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
      autovacuum_analyze_scale_factor = 0.05);

-- Jobs ready now, in the order of the claim. Jobs that wait for a time are apart, so that a hundred thousand of them
-- cost a claim nothing.
CREATE INDEX crawl_jobs_ready ON crawl_jobs (kind, executor, priority DESC, created_at)
  WHERE status = 'pending' AND run_at IS NULL;
CREATE INDEX crawl_jobs_waiting ON crawl_jobs (kind, executor, priority DESC, (coalesce(next_retry_at, run_at)))
  WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL;
CREATE INDEX crawl_jobs_processing ON crawl_jobs (worker_id) WHERE status = 'processing';
CREATE UNIQUE INDEX crawl_jobs_one_live_per_dedupe_key ON crawl_jobs (user_id, dedupe_key)
  WHERE dedupe_key IS NOT NULL AND status IN ('pending', 'processing', 'retryable', 'paused');
CREATE UNIQUE INDEX crawl_jobs_idempotency_key ON crawl_jobs (user_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- A function, because PostgreSQL would prepare so large an expression anew for each statement (0.1 ms of a single job's).
CREATE FUNCTION is_legal_move(transition job_transition, from_status job_status, to_status job_status) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN
    CASE transition
      WHEN 'enqueue' THEN from_status IS NULL AND to_status = 'pending'
      WHEN 'claim' THEN from_status IN ('pending', 'retryable') AND to_status = 'processing'
      WHEN 'complete' THEN from_status = 'processing' AND to_status = 'completed'
      WHEN 'retryLater' THEN from_status = 'processing' AND to_status IN ('retryable', 'failed')
      WHEN 'retryNow' THEN from_status = 'processing' AND to_status IN ('pending', 'failed')
      WHEN 'fail' THEN from_status = 'processing' AND to_status = 'failed'
      WHEN 'release' THEN from_status = 'processing' AND to_status = 'pending'
      WHEN 'crash' THEN from_status = 'processing' AND to_status IN ('pending', 'failed')
      WHEN 'recover' THEN from_status = 'processing' AND to_status IN ('pending', 'failed', 'expired')
        OR from_status = 'expired' AND to_status = 'pending'
      WHEN 'pause' THEN from_status IN ('pending', 'retryable', 'processing') AND to_status = 'paused'
        OR from_status = 'processing' AND to_status = 'processing'
      WHEN 'resume' THEN from_status = 'paused' AND to_status = 'pending'
        OR from_status = 'processing' AND to_status = 'processing'
      WHEN 'cancel' THEN from_status IN ('pending', 'retryable', 'paused', 'processing') AND to_status = 'cancelled'
        OR from_status = 'processing' AND to_status = 'processing'
      WHEN 'expire' THEN from_status = 'processing' AND to_status = 'expired'
      WHEN 'resetLock' THEN from_status = 'processing' AND to_status = 'pending'
      WHEN 'retry' THEN from_status IN ('failed', 'cancelled', 'expired') AND to_status = 'pending'
      WHEN 'retryUrls' THEN from_status IN ('completed', 'failed', 'cancelled') AND to_status = 'pending'
    END IS TRUE;
END $$;

-- Written by the statement that makes the transition, never alone; so it needs no foreign key (which would cost a
-- lock on the job for each event).
CREATE TABLE job_events (
  job_id      uuid NOT NULL,
  event_no    integer NOT NULL,
  transition  job_transition NOT NULL,
  from_status job_status,
  to_status   job_status NOT NULL,
  fence       bigint NOT NULL,
  at          timestamptz NOT NULL DEFAULT now(),
  actor       text NOT NULL,
  reason      text,
  -- Room for the next events of the same job.
  PRIMARY KEY (job_id, event_no) WITH (fillfactor = 40),
  CONSTRAINT legal_move CHECK (is_legal_move(transition, from_status, to_status))
);
