-- Webhooks: who is told of what over HTTP, and what is still to be told (the outbox). Deliveries are written by triggers, in
-- the transaction of the event itself: what is rolled back is told to nobody, what is committed is told in the end.
-- The enums restate packages/contract/src/webhook.ts; a test holds them to it.

CREATE TYPE webhook_event AS ENUM
  ('job.started', 'job.paused', 'job.retrying', 'job.completed', 'job.failed', 'job.cancelled', 'job.expired',
   'price.changed', 'page.new', 'page.changed', 'page.gone', 'page.failed', 'webhook.test');
CREATE TYPE webhook_delivery_status AS ENUM ('pending', 'delivered', 'dead');

CREATE TABLE webhooks (
  id                  uuid DEFAULT uuid_v7() PRIMARY KEY,
  user_id             text NOT NULL DEFAULT 'local' CHECK (length(user_id) BETWEEN 1 AND 100),
  url                 text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  description         text CHECK (length(description) BETWEEN 1 AND 200),
  events              webhook_event[] NOT NULL CHECK (cardinality(events) > 0),
  -- Kept as it is: each delivery is signed with it.
  secret              text NOT NULL,
  -- The one before, which signs as well until then, so that receivers can change over in their own time.
  previous_secret     text,
  previous_expires_at timestamptz,
  enabled             boolean NOT NULL DEFAULT true,
  disabled_reason     text,
  -- Of all its deliveries together: while it fails, they wait and one at a time tries.
  failure_streak      integer NOT NULL DEFAULT 0,
  failing_since       timestamptz,
  not_before          timestamptz,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT disabled_has_reason CHECK (enabled = (disabled_reason IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX webhooks_of_owner ON webhooks (user_id, id);

-- No foreign key: it would cost a lock on the webhook for each event, and a removal would wait for a million rows. What a
-- removed webhook leaves behind is never claimed, and pruned in batches.
CREATE TABLE webhook_deliveries (
  -- What its receiver knows it by, however often it is sent.
  id              uuid DEFAULT uuid_v7() PRIMARY KEY,
  webhook_id      uuid NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Of one that is being sent, the end of the lease: whoever does so must have died by then, and somebody else may.
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Only grows, with each claim; whoever sent it names it when saying what came of it.
  fence           integer NOT NULL DEFAULT 0,
  attempts        smallint NOT NULL DEFAULT 0,
  event           webhook_event NOT NULL,
  status          webhook_delivery_status NOT NULL DEFAULT 'pending',
  -- json keeps the text: each attempt sends the same bytes.
  payload         json NOT NULL,
  -- While it is being sent.
  lease_expires_at timestamptz,
  last_attempt_at timestamptz,
  last_status     smallint,
  last_error      text,
  delivered_at    timestamptz
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
-- By webhook, so that a million for one that does not answer are in nobody's way.
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (webhook_id, id) WHERE status = 'dead';

-- A moment as JSON has it, whatever the time zone of the session.
CREATE FUNCTION webhook_time(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE FUNCTION webhook_payload(event webhook_event, at timestamptz, data json) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT json_build_object('type', event, 'version', 1, 'timestamp', webhook_time(at), 'data', data)
$$;

-- Once for all events of a statement, whatever their number: a batch of 500 completions asks once whether anybody listens.
CREATE FUNCTION webhooks_hear_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled) THEN RETURN NULL; END IF;
  INSERT INTO webhook_deliveries (webhook_id, event, payload)
  SELECT hook.id, hook.event, webhook_payload(hook.event, told.at, json_build_object(
    'job_id', told.job_id, 'kind', job.kind, 'status', told.to_status, 'url', job.url, 'policy_id', job.policy_id,
    'source_id', job.source_id, 'user_id', job.user_id, 'event_no', told.event_no, 'retry_count', job.retry_count,
    'started_at', webhook_time(job.started_at), 'ended_at', webhook_time(job.completed_at),
    'error', CASE WHEN job.error_code IS NOT NULL AND told.event IN ('job.failed', 'job.retrying', 'job.expired')
      THEN json_build_object('code', job.error_code, 'message', job.error_message) END,
    'pages', (SELECT json_build_object('fetched', state.fetched, 'failed', state.failed, 'skipped', state.skipped,
        'pending', state.total_pending, 'new', state.new_pages, 'changed', state.changed, 'unchanged', state.unchanged,
        'gone', state.gone)
      FROM crawl_states state WHERE state.job_id = told.job_id AND job.kind = 'crawl')))
  FROM (
    SELECT added.*, CASE to_status WHEN 'processing' THEN 'job.started' WHEN 'paused' THEN 'job.paused'
      WHEN 'retryable' THEN 'job.retrying' WHEN 'completed' THEN 'job.completed' WHEN 'failed' THEN 'job.failed'
      WHEN 'cancelled' THEN 'job.cancelled' WHEN 'expired' THEN 'job.expired' END::webhook_event AS event
    FROM added WHERE to_status <> 'pending' AND from_status <> to_status
  ) told
  -- Limits keep each look to one row by its key: with old statistics a join would read the whole table.
  CROSS JOIN LATERAL (
    SELECT user_id, kind, policy_id, source_id, retry_count, started_at, completed_at, error_code,
      left(error_message, 500) AS error_message, payload ->> 'url' AS url
    FROM crawl_jobs WHERE id = told.job_id LIMIT 1
  ) job
  CROSS JOIN LATERAL (
    SELECT id, told.event FROM webhooks
    WHERE user_id = job.user_id AND enabled AND told.event = ANY (events)
  ) hook;
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_hear_jobs AFTER INSERT ON job_events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION webhooks_hear_jobs();

CREATE FUNCTION webhooks_hear_prices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, event, payload)
  SELECT id, 'price.changed', webhook_payload('price.changed', NEW.changed_at, json_build_object(
    'result_id', NEW.result_id, 'job_id', NEW.job_id, 'policy_id', NEW.policy_id, 'user_id', NEW.user_id, 'url', NEW.url,
    'price', NEW.price::text, 'currency', NEW.currency, 'previous_price', NEW.previous_price::text,
    'previous_currency', NEW.previous_currency, 'previous_result_id', NEW.previous_result_id))
  FROM webhooks WHERE user_id = NEW.user_id AND enabled AND 'price.changed' = ANY (events);
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_hear_prices AFTER INSERT ON price_changes
  FOR EACH ROW EXECUTE FUNCTION webhooks_hear_prices();

-- Pages that failed, and what a recrawl finds different. Most pages are neither, and pay for the condition alone.
CREATE FUNCTION webhooks_hear_pages() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told webhook_event[] := (CASE WHEN NEW.outcome = 'failed' THEN ARRAY['page.failed'] ELSE '{}' END
    || CASE WHEN NEW.change IN ('new', 'changed', 'gone') THEN ARRAY['page.' || NEW.change] ELSE '{}' END)::webhook_event[];
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled AND events && told) THEN RETURN NULL; END IF;
  INSERT INTO webhook_deliveries (webhook_id, event, payload)
  SELECT hook.id, event, webhook_payload(event, NEW.fetched_at, json_build_object(
    'job_id', NEW.job_id, 'policy_id', job.policy_id, 'user_id', job.user_id, 'url', NEW.url, 'status', NEW.status,
    'title', left(NEW.title, 500), 'change', NEW.change,
    'error', CASE WHEN NEW.outcome = 'failed' THEN json_build_object('code', NEW.reason, 'message', left(NEW.message, 500)) END))
  FROM crawl_jobs job JOIN webhooks hook ON hook.user_id = job.user_id AND hook.enabled
    CROSS JOIN unnest(told) AS event
  WHERE job.id = NEW.job_id AND event = ANY (hook.events);
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_hear_pages AFTER INSERT ON crawl_pages FOR EACH ROW
  WHEN (NEW.kind = 'page' AND (NEW.outcome = 'failed' OR NEW.change IN ('new', 'changed', 'gone')))
  EXECUTE FUNCTION webhooks_hear_pages();

-- Pages that nothing leads to any more, up to ten thousand in a statement.
CREATE FUNCTION webhooks_hear_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled AND 'page.gone' = ANY (events)) THEN RETURN NULL; END IF;
  INSERT INTO webhook_deliveries (webhook_id, event, payload)
  SELECT hook.id, 'page.gone', webhook_payload('page.gone', now(), json_build_object(
    'job_id', added.job_id, 'policy_id', job.policy_id, 'user_id', job.user_id, 'url', added.url, 'status', NULL,
    'title', left(added.title, 500), 'change', 'gone', 'error', NULL))
  FROM added
  CROSS JOIN LATERAL (SELECT user_id, policy_id FROM crawl_jobs WHERE id = added.job_id LIMIT 1) job
  JOIN webhooks hook ON hook.user_id = job.user_id AND hook.enabled AND 'page.gone' = ANY (hook.events);
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_hear_gone AFTER INSERT ON crawl_gone REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION webhooks_hear_gone();
