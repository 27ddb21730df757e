-- Values that the database must not be able to read: sealed with a key that is kept elsewhere.
CREATE TABLE secrets (
  id uuid PRIMARY KEY,
  key_id text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE secrets IS 'Secret values, sealed with AES-256-GCM. The key is not in the database.';
COMMENT ON COLUMN secrets.key_id IS 'Which key sealed the value: the start of the SHA-256 of the key.';
COMMENT ON COLUMN secrets.sealed IS 'Bound to the id of the row: copied into another row, it cannot be opened.';
ALTER TABLE secrets ALTER sealed SET STORAGE EXTERNAL;
CREATE INDEX secrets_by_key ON secrets (key_id);
