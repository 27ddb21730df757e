-- A job that waits says what for, and a person can end the wait.

ALTER TYPE job_transition ADD VALUE 'runNow';

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
      WHEN 'runNow' THEN from_status IN ('pending', 'retryable') AND to_status = 'pending'
    END IS TRUE;
END $$;

-- What a job that was given back before its time waits for; see BlockedBy in packages/server/src/queue/blocked-by.ts. It counts
-- only while run_at or next_retry_at lies ahead. No index names it: whoever resumes a source looks through crawl_jobs_waiting.
ALTER TABLE crawl_jobs ADD COLUMN blocked_by jsonb;

-- Why nothing can be had of a source although nobody paused it, such as a name that does not resolve: an error code, the host, and
-- since when. Null after the next good answer.
ALTER TABLE sources
  ADD COLUMN trouble       text,
  ADD COLUMN trouble_host  text,
  ADD COLUMN trouble_since timestamptz;

-- How many of its jobs may be crawls; null: a worker of before, of which only the sum is known.
ALTER TABLE workers ADD COLUMN max_crawls integer;
