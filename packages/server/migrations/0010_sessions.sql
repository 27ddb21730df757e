-- Sign-ins to the console. A session acts for the key it was opened with, and ends with it.
CREATE TABLE sessions (
  -- SHA-256 of what the cookie holds.
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  key_id     uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

-- Links that sign in once, as `holdfast up` prints one.
CREATE TABLE login_links (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  key_id     uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
