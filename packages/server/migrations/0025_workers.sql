-- One sick worker must not fail the queue, and one machine must not be taken for another.

-- A runner that died before its first request: the worker is to blame, and no retry is burned.
ALTER TYPE job_transition ADD VALUE 'failStart' AFTER 'crash';

CREATE OR REPLACE FUNCTION is_legal_move(transition job_transition, from_status job_status, to_status job_status)
RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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
      WHEN 'failStart' THEN from_status = 'processing' AND to_status IN ('pending', 'failed')
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

ALTER TABLE crawl_jobs
  -- Runs in a row whose runner died before its first request, and the worker of the last.
  ADD COLUMN failed_starts smallint NOT NULL DEFAULT 0,
  ADD COLUMN failed_start_worker text,
  -- Origins of a private network that the job cannot do without: only a worker that may fetch them all claims it.
  -- Null until a worker had to hand it back for that.
  ADD COLUMN waits_for text[];

ALTER TABLE workers
  -- Empty: nothing is known about its machine.
  ADD COLUMN machine_id text NOT NULL DEFAULT '',
  -- What it claims.
  ADD COLUMN kinds job_kind[] NOT NULL DEFAULT '{crawl,visit,collect}',
  ADD COLUMN allow_private text[] NOT NULL DEFAULT '{}',
  -- How often it is heard of: how long it must be silent to count as dead.
  ADD COLUMN heartbeat_seconds real NOT NULL DEFAULT 10,
  -- Why it has stopped claiming jobs; null while it is well.
  ADD COLUMN trouble text;
