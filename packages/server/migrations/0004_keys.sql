-- Who may use the API, for what, and how much of it. The secret itself is shown once and never stored.

CREATE TYPE key_scope AS ENUM ('jobs:read', 'jobs:write', 'bots', 'operate', 'admin');

CREATE TABLE api_keys (
  id                      uuid DEFAULT uuid_v7() PRIMARY KEY,
  -- SHA-256 of 256 random bits: nothing to guess, so nothing to slow a guess down for.
  secret_hash             bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  -- The start of the secret, by which a person recognises it.
  prefix                  text NOT NULL,
  name                    text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- Owner of what is made with it.
  user_id                 text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 100),
  scopes                  key_scope[] NOT NULL CHECK (cardinality(scopes) > 0),
  -- The one bot that this key speaks for; null: any bot of its owner.
  bot_id                  text CHECK (length(bot_id) BETWEEN 1 AND 100),
  max_live_jobs           integer CHECK (max_live_jobs >= 0),
  max_jobs_per_day        integer CHECK (max_jobs_per_day >= 0),
  max_requests_per_minute integer CHECK (max_requests_per_minute > 0),
  created_at              timestamptz NOT NULL DEFAULT now(),
  expires_at              timestamptz,
  revoked_at              timestamptz,
  -- To a minute: a key in constant use is not worth a write per request.
  last_used_at            timestamptz
) WITH (fillfactor = 70);

-- What a key has used up of its quotas: a row per key, quota and window. Old windows are pruned.
CREATE TABLE key_usage (
  key_id       uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  quota        text NOT NULL CHECK (quota IN ('jobs_per_day', 'requests_per_minute')),
  window_start timestamptz NOT NULL,
  used         integer NOT NULL,
  PRIMARY KEY (key_id, quota, window_start)
) WITH (fillfactor = 50);

-- The jobs that count against max_live_jobs, only for keys that have such a quota. Who creates a job with the key locks
-- the key, forgets the ended ones and counts the rest: no index on crawl_jobs, and no way past the limit.
CREATE TABLE key_live_jobs (
  key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  job_id uuid NOT NULL,
  PRIMARY KEY (key_id, job_id)
);

-- What a list shows to an owner, however many jobs others have. The owner that everything has where there is only one is
-- left out: there it would cost each claim and completion about a tenth, and tell nothing.
CREATE INDEX crawl_jobs_of_owner ON crawl_jobs (user_id, id) WHERE user_id <> 'local';

-- Secrets that all API processes share: they sign lease tokens and sessions. Made by whoever needs one first.
CREATE TABLE instance_secrets (
  name       text PRIMARY KEY,
  value      bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
