-- Pages that run in a browser before they are read.
ALTER TABLE crawl_pages ADD COLUMN rendered boolean;
COMMENT ON COLUMN crawl_pages.rendered IS 'True: read after its scripts ran in a browser. Null: as the server sent it.';

CREATE TABLE crawl_screenshots (
  job_id uuid NOT NULL,
  url_hash uuid NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT now(),
  picture bytea NOT NULL,
  PRIMARY KEY (job_id, url_hash)
);
COMMENT ON TABLE crawl_screenshots IS 'PNG pictures of rendered pages, where the crawl asked for them.';
ALTER TABLE crawl_screenshots ALTER picture SET STORAGE EXTERNAL;

CREATE TABLE render_verdicts (
  host text NOT NULL,
  shape text NOT NULL,
  suspicion text NOT NULL,
  rendered integer NOT NULL,
  needed integer NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (host, shape, suspicion)
);
COMMENT ON TABLE render_verdicts IS 'What rendering showed about the pages of a host: how many were rendered to compare, and how many had more text or links then. All workers and later crawls share it.';
COMMENT ON COLUMN render_verdicts.shape IS 'What the paths of such pages have in common.';
COMMENT ON COLUMN render_verdicts.suspicion IS 'Why they may need JavaScript.';
CREATE INDEX render_verdicts_expired ON render_verdicts (expires_at);

-- With the pictures.
CREATE OR REPLACE FUNCTION stored_rows_follow_job() RETURNS trigger LANGUAGE plpgsql AS $$
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
    DELETE FROM crawl_screenshots WHERE job_id = crawl;
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
