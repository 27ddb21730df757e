-- Policies: what to run again, and when.

CREATE TABLE crawl_policies (
  id                    uuid DEFAULT uuid_v7() PRIMARY KEY,
  user_id               text NOT NULL DEFAULT 'local' CHECK (length(user_id) BETWEEN 1 AND 100),
  kind                  job_kind NOT NULL CHECK (kind IN ('crawl', 'visit')),
  url                   text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- For its jobs: as urls/host-of.ts has it of the canonical url; a test compares.
  host                  text GENERATED ALWAYS AS (regexp_replace(
    substring(url FROM '^https?://(?:[^/?#]*@)?([^/?#]*)'), '\.(?=$|:[0-9]+$)', '')) STORED,
  executor              job_executor NOT NULL DEFAULT 'builtin' CHECK (executor = 'builtin' OR kind = 'visit'),
  -- Of the job's payload, beside the url.
  options               jsonb NOT NULL DEFAULT '{}',
  frequency_hours       numeric(9, 4) NOT NULL DEFAULT 24 CHECK (frequency_hours > 0 AND frequency_hours <= 87600),
  priority              smallint NOT NULL DEFAULT 0,
  lock_ttl_seconds      integer NOT NULL DEFAULT 600 CHECK (lock_ttl_seconds BETWEEN 1 AND 86400),
  max_retries           smallint NOT NULL DEFAULT 3 CHECK (max_retries BETWEEN 0 AND 100),
  retry_backoff_minutes integer NOT NULL DEFAULT 5 CHECK (retry_backoff_minutes BETWEEN 1 AND 1440),
  -- Null: a run has no deadline; for crawls alone.
  timeout_minutes       integer CHECK (timeout_minutes BETWEEN 1 AND 10080),
  enabled               boolean NOT NULL DEFAULT true,
  next_run_at           timestamptz NOT NULL DEFAULT now(),
  last_success_at       timestamptz,
  last_failed_at        timestamptz,
  failure_count         integer NOT NULL DEFAULT 0,
  -- From the making of its job to its end. It keeps such policies out of the index below, however many they are and however
  -- long their jobs wait for a bot; it proves nothing. (A job that somebody retried is not counted.)
  has_live_job          boolean NOT NULL DEFAULT false,
  created_at            timestamptz NOT NULL DEFAULT now(),
  updated_at            timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, kind, url),
  CONSTRAINT visit_has_deadline CHECK (kind = 'crawl' OR timeout_minutes IS NOT NULL)
) WITH (fillfactor = 80);

CREATE INDEX crawl_policies_due ON crawl_policies (next_run_at) WHERE enabled AND NOT has_live_job;

-- One live job per policy is kept by its dedupe key, 'policy:<id>'; this keeps one job per due time.
ALTER TABLE crawl_jobs
  ADD COLUMN policy_id uuid REFERENCES crawl_policies ON DELETE SET NULL,
  ADD COLUMN scheduled_for timestamptz;
CREATE UNIQUE INDEX crawl_jobs_one_per_due_time ON crawl_jobs (policy_id, scheduled_for) WHERE policy_id IS NOT NULL;

-- The end of a policy's job decides when it runs next: success and cancellation after its frequency, failure after a
-- backoff that doubles, up to a day. A trigger, because a job ends in many ways (its holder, the watchdog, a person) and
-- none of them may forget it.
CREATE FUNCTION policy_follows_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE crawl_policies SET
    has_live_job = false,
    next_run_at = now() + CASE WHEN NEW.status IN ('completed', 'cancelled')
      THEN make_interval(secs => (frequency_hours * 3600)::float8)
      ELSE least(make_interval(mins => retry_backoff_minutes) * 2 ^ least(failure_count, 20), interval '24 hours') END,
    last_success_at = CASE WHEN NEW.status = 'completed' THEN now() ELSE last_success_at END,
    last_failed_at = CASE WHEN NEW.status IN ('failed', 'expired') THEN now() ELSE last_failed_at END,
    failure_count = CASE NEW.status WHEN 'completed' THEN 0 WHEN 'cancelled' THEN failure_count ELSE failure_count + 1 END
  WHERE id = NEW.policy_id;
  RETURN NULL;
END $$;
CREATE TRIGGER policy_follows_job AFTER UPDATE OF status ON crawl_jobs FOR EACH ROW
  WHEN (NEW.policy_id IS NOT NULL AND NEW.status IN ('completed', 'failed', 'cancelled', 'expired')
    AND OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION policy_follows_job();

-- Jobs that are deleted by hand end without a word. Without this, their policies would wait for them for ever.
CREATE FUNCTION policies_forget_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE crawl_policies SET has_live_job = false WHERE has_live_job AND (TG_OP = 'TRUNCATE' OR id = OLD.policy_id);
  RETURN NULL;
END $$;
CREATE TRIGGER policy_forgets_job AFTER DELETE ON crawl_jobs FOR EACH ROW
  WHEN (OLD.policy_id IS NOT NULL AND OLD.status IN ('pending', 'processing', 'retryable', 'paused'))
  EXECUTE FUNCTION policies_forget_jobs();
CREATE TRIGGER policies_forget_jobs AFTER TRUNCATE ON crawl_jobs EXECUTE FUNCTION policies_forget_jobs();
