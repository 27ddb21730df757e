-- Keys that requests are signed with (Web Bot Auth). Their private halves are secrets.
CREATE TABLE identity_keys (
  id text PRIMARY KEY,
  public_key text NOT NULL,
  secret_id uuid NOT NULL REFERENCES secrets,
  agent text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  active_from timestamptz NOT NULL,
  retired_at timestamptz,
  CHECK (retired_at > created_at)
);
COMMENT ON TABLE identity_keys IS 'Public keys of the crawler''s identity, for the key directory and for signing.';
COMMENT ON COLUMN identity_keys.id IS 'JWK thumbprint (RFC 7638): the keyid of signatures.';
COMMENT ON COLUMN identity_keys.public_key IS 'The x of the JWK.';
COMMENT ON COLUMN identity_keys.secret_id IS 'The private key, in secrets.';
COMMENT ON COLUMN identity_keys.agent IS 'Origin that serves the key directory: the value of Signature-Agent.';
COMMENT ON COLUMN identity_keys.active_from IS 'Signs from this time; it is published before.';
COMMENT ON COLUMN identity_keys.retired_at IS 'Published until this time; null: until a rotation.';
