-- Jobs for those who write SQL: a job is added, claimed and deleted by a plain statement, and the rules hold all the same.
-- docs/source-documents.md lists the statements.

-- A job needs a payload and nothing else. Whoever records its first event says so with event_count; 0 is a job that a plain
-- INSERT made, and the trigger makes up for what is missing. Rows that say otherwise pay for the condition alone.
ALTER TABLE crawl_jobs ALTER COLUMN kind SET DEFAULT 'crawl', ALTER COLUMN event_count SET DEFAULT 0;

CREATE FUNCTION complete_inserted_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF jsonb_typeof(NEW.payload) <> 'object' THEN
    RAISE check_violation USING MESSAGE = format('the payload of a job must be a JSON object, not %s', jsonb_typeof(NEW.payload)),
      HINT = 'For a crawl: {"url": "https://example.com/"}.';
  END IF;
  -- A process of the version before still records the event itself, under the count that it reads: 0.
  UPDATE job_events SET event_no = 1 WHERE job_id = NEW.id AND event_no = 0;
  IF NOT FOUND THEN
    INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, reason)
    VALUES (NEW.id, 1, 'enqueue', NEW.status, NEW.fence, 'user:' || session_user, 'by SQL')
    ON CONFLICT DO NOTHING;
  END IF;
  -- And the columns by which bots and intakes find their jobs (queue/enqueue-jobs.ts).
  UPDATE crawl_jobs SET event_count = 1,
    host = CASE WHEN kind = 'visit' AND executor = 'bot' AND host IS NULL THEN lower(regexp_replace(
      substring(payload ->> 'url' FROM '^https?://(?:[^/?#]*@)?([^/?#]*)'), '\.(?=$|:[0-9]+$)', '')) ELSE host END,
    intake_id = CASE WHEN kind = 'collect' AND intake_id IS NULL
      AND payload ->> 'intake_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      THEN (payload ->> 'intake_id')::uuid ELSE intake_id END
  WHERE id = NEW.id;
  NOTIFY holdfast_work;
  RETURN NULL;
END $$;
CREATE TRIGGER complete_inserted_job AFTER INSERT ON crawl_jobs FOR EACH ROW
  WHEN (NEW.event_count = 0 AND NEW.status = 'pending')
  EXECUTE FUNCTION complete_inserted_job();

-- A claim by a plain UPDATE knows neither lease nor fence. Its lease is two minutes from its last heartbeat
-- (queue/lease-end.ts), and the trigger gives it a fence of its own, so that a holder before it can write no more.
-- NOT VALID: what is there was held to stricter rules.
ALTER TABLE crawl_jobs DROP CONSTRAINT columns_fit_status, ADD CONSTRAINT columns_fit_status CHECK (
    CASE status
      WHEN 'processing' THEN (lease_expires_at IS NOT NULL OR last_heartbeat IS NOT NULL) AND worker_id IS NOT NULL
        AND next_retry_at IS NULL AND completed_at IS NULL
      -- A completed job keeps the request that came too late.
      WHEN 'completed' THEN completed_at IS NOT NULL AND lease_expires_at IS NULL AND next_retry_at IS NULL
      WHEN 'pending' THEN num_nonnulls(worker_id, lease_expires_at, next_retry_at, completed_at, requested_action) = 0
      WHEN 'paused' THEN num_nonnulls(worker_id, lease_expires_at, next_retry_at, completed_at, requested_action) = 0
      WHEN 'retryable' THEN next_retry_at IS NOT NULL
        AND num_nonnulls(worker_id, lease_expires_at, completed_at, requested_action) = 0
      ELSE completed_at IS NOT NULL AND num_nonnulls(lease_expires_at, next_retry_at, requested_action) = 0
    END
    AND retry_count <= max_retries AND retry_count >= 0
    AND progress_percentage >= 0 AND progress_percentage <= 100) NOT VALID;

CREATE FUNCTION fence_claim_by_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE crawl_jobs SET fence = fence + 1, event_count = event_count + 1 WHERE id = NEW.id;
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'claim', OLD.status, status, fence, 'supervisor:' || worker_id, 'by SQL'
  FROM crawl_jobs WHERE id = NEW.id;
  RETURN NULL;
END $$;
-- By a column that renewals and completions leave alone: only claims, and ends that take the holder away, look at it.
CREATE TRIGGER fence_claim_by_update AFTER UPDATE OF worker_id ON crawl_jobs FOR EACH ROW
  WHEN (NEW.lease_expires_at IS NULL AND NEW.status = 'processing' AND OLD.status <> 'processing')
  EXECUTE FUNCTION fence_claim_by_update();

/*
 * Takes the job that a worker would take next: the highest priority, then the oldest; ready, or due after a wait. No row: there
 * is none. The caller must renew the lease before it ends, and name the fence in all it writes. Jobs of bots, and those that
 * need a private origin, are not for it. The order is that of queue/claim-jobs.ts; a test holds one to the other.
 */
CREATE FUNCTION claim_next_pending_job(worker text, kinds job_kind[] DEFAULT '{crawl,visit,collect}', lease interval DEFAULT NULL)
RETURNS SETOF crawl_jobs LANGUAGE sql AS $$
WITH RECURSIVE lane (kind) AS (
  SELECT DISTINCT unnest(kinds)
),
waiting_priority (kind, priority) AS (
  SELECT lane.kind, first.priority FROM lane CROSS JOIN LATERAL (
    SELECT priority FROM crawl_jobs
    WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
      AND kind = lane.kind AND executor = 'builtin'
    ORDER BY priority DESC LIMIT 1
  ) first
  UNION ALL
  SELECT above.kind, next.priority FROM waiting_priority above CROSS JOIN LATERAL (
    SELECT priority FROM crawl_jobs
    WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
      AND kind = above.kind AND executor = 'builtin' AND priority < above.priority
    ORDER BY priority DESC LIMIT 1
  ) next
),
picked AS MATERIALIZED (
  SELECT id, status, coalesce(lease, CASE kind WHEN 'collect' THEN interval '5 minutes' ELSE interval '2 minutes' END) AS lasts
  FROM (
    SELECT job.* FROM lane CROSS JOIN LATERAL (
      SELECT id, kind, status, priority, created_at FROM crawl_jobs
      WHERE status = 'pending' AND run_at IS NULL AND kind = lane.kind AND executor = 'builtin' AND waits_for IS NULL
      ORDER BY priority DESC, created_at LIMIT 1 FOR UPDATE SKIP LOCKED
    ) job
    UNION ALL
    SELECT job.* FROM waiting_priority CROSS JOIN LATERAL (
      SELECT id, kind, status, priority, created_at FROM crawl_jobs
      WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
        AND kind = waiting_priority.kind AND executor = 'builtin' AND priority = waiting_priority.priority
        AND coalesce(next_retry_at, run_at) <= now() AND waits_for IS NULL
      ORDER BY coalesce(next_retry_at, run_at) LIMIT 1 FOR UPDATE SKIP LOCKED
    ) job
  ) candidate
  ORDER BY priority DESC, created_at LIMIT 1
),
claimed AS (
  UPDATE crawl_jobs job SET
    status = 'processing', fence = fence + 1, worker_id = worker, started_at = now(), last_heartbeat = now(),
    lease_seconds = extract(epoch FROM lasts), lease_expires_at = now() + lasts, next_retry_at = NULL,
    event_count = event_count + 1
  FROM picked WHERE job.id = picked.id
  RETURNING job.*
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
  SELECT id, claimed.event_count, 'claim', picked.status, claimed.status, claimed.fence, 'supervisor:' || worker
  FROM claimed JOIN picked USING (id)
)
SELECT * FROM claimed
$$;

-- Whoever deletes a job by SQL deletes what it stored, as if all its tables referred to it; foreign keys would cost every row that
-- a crawl stores a lock on its job. The product deletes in batches instead (queue/delete-jobs.ts), and says so with the setting.
-- What stays is what pruning leaves as well: results and prices; content that later crawls share; and a crawl that one under way
-- is compared with, until that is through.
CREATE FUNCTION stored_rows_follow_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  crawls uuid[] := ARRAY(
    SELECT id FROM deleted WHERE kind = 'crawl' AND NOT EXISTS (
      SELECT FROM crawl_states later JOIN crawl_jobs job ON job.id = later.job_id
      WHERE later.baseline = deleted.id AND job.status::text <> 'completed'));
  owners uuid[] := crawls;
  crawl uuid;
BEGIN
  DELETE FROM job_events WHERE job_id = ANY (ARRAY(SELECT id FROM deleted));
  DELETE FROM bot_submissions WHERE job_id = ANY (ARRAY(SELECT id FROM deleted));
  FOREACH crawl IN ARRAY crawls LOOP
    owners := owners || ARRAY(SELECT DISTINCT content_job FROM crawl_pages WHERE job_id = crawl AND content_job IS NOT NULL);
    DELETE FROM crawl_pages WHERE job_id = crawl;
    DELETE FROM crawl_frontier WHERE job_id = crawl;
    DELETE FROM crawl_visited WHERE job_id = crawl;
    DELETE FROM crawl_hosts WHERE job_id = crawl;
    DELETE FROM crawl_suspects WHERE job_id = crawl;
    DELETE FROM crawl_gone WHERE job_id = crawl;
    DELETE FROM crawl_states WHERE job_id = crawl;
  END LOOP;
  -- Theirs, and what crawls that went before them left to them.
  FOR crawl IN SELECT DISTINCT owner FROM unnest(owners) AS owner
    WHERE NOT EXISTS (SELECT FROM crawl_states state WHERE state.job_id = owner)
  LOOP
    DELETE FROM crawl_page_contents content WHERE job_id = crawl AND NOT EXISTS (
      SELECT FROM crawl_pages page WHERE page.content_job = crawl AND page.url_hash = content.url_hash);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER stored_rows_follow_job AFTER DELETE ON crawl_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT
  WHEN (current_setting('holdfast.deletes_in_batches', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION stored_rows_follow_job();
