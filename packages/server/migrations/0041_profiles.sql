-- What crawls carry: cookies of sites, and the secrets of profiles.
CREATE TABLE crawl_cookies (
  job_id uuid NOT NULL,
  site text NOT NULL,
  signed_in boolean NOT NULL,
  cookies bytea NOT NULL,
  PRIMARY KEY (job_id, site, signed_in)
);
COMMENT ON TABLE crawl_cookies IS 'The cookies that sites gave to a crawl, written by its checkpoints.';
COMMENT ON COLUMN crawl_cookies.site IS 'The domain that its cookies cannot leave, such as example.com.';
COMMENT ON COLUMN crawl_cookies.signed_in IS 'Given to requests that carried a profile; sealed, and sent only to its origins.';

CREATE FUNCTION cookies_follow_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM crawl_cookies WHERE job_id = ANY (ARRAY(SELECT id FROM deleted WHERE kind = 'crawl'));
  RETURN NULL;
END $$;
CREATE TRIGGER cookies_follow_job AFTER DELETE ON crawl_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT
  WHEN (current_setting('holdfast.deletes_in_batches', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION cookies_follow_job();

CREATE TABLE profiles (
  id uuid DEFAULT uuid_v7() PRIMARY KEY,
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 100),
  name text CHECK (length(name) BETWEEN 1 AND 100),
  origins text[] NOT NULL CHECK (cardinality(origins) > 0),
  contents jsonb NOT NULL,
  secret_id uuid NOT NULL REFERENCES secrets,
  edition integer NOT NULL DEFAULT 1,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
COMMENT ON TABLE profiles IS 'Sign-ins: headers and cookies under a name, for the crawls, visits and adapters of their owner.';
COMMENT ON COLUMN profiles.name IS 'Null: made for the headers of one request, and deleted when nothing uses them any more.';
COMMENT ON COLUMN profiles.origins IS 'The only origins that its values are sent to.';
COMMENT ON COLUMN profiles.contents IS 'What it holds, without the values: names of headers and cookies.';
COMMENT ON COLUMN profiles.edition IS 'Raised when its owner replaces the values.';
COMMENT ON COLUMN profiles.version IS 'Raised with every change, also when a site renews a cookie.';
CREATE UNIQUE INDEX profiles_by_name ON profiles (user_id, name) WHERE name IS NOT NULL;
CREATE INDEX profiles_unnamed ON profiles (last_used_at) WHERE name IS NULL;
