-- Recrawls: a crawl that is compared with its baseline, the last completed crawl of the same key.

CREATE TYPE page_change AS ENUM ('new', 'changed', 'unchanged', 'gone');

ALTER TABLE crawl_states
  -- The start and the options of what to crawl and what to keep, hashed. Not the dedupe key, which is the owner's to choose.
  ADD COLUMN crawl_key text,
  -- Chosen when the crawl begins, and kept however often it is interrupted. Null: nothing to compare with.
  ADD COLUMN baseline  uuid,
  ADD COLUMN new_pages integer NOT NULL DEFAULT 0,
  ADD COLUMN changed   integer NOT NULL DEFAULT 0,
  ADD COLUMN unchanged integer NOT NULL DEFAULT 0,
  ADD COLUMN gone      integer NOT NULL DEFAULT 0;

-- Neither column ever changes, so the updates of checkpoints stay HOT.
CREATE INDEX crawl_states_of_key ON crawl_states (crawl_key) WHERE crawl_key IS NOT NULL;
CREATE INDEX crawl_states_compared_with ON crawl_states (baseline) WHERE baseline IS NOT NULL;

-- One-shot commands used to keep it in their dedupe key.
UPDATE crawl_states SET crawl_key = job.dedupe_key
FROM crawl_jobs job WHERE job.id = job_id AND job.kind = 'crawl' AND job.dedupe_key LIKE 'crawl:%';

ALTER TABLE crawl_pages
  ADD COLUMN change page_change,
  -- Where its content is, when that is another job's: a page that did not change shares that of its baseline.
  ADD COLUMN content_job uuid;
-- Content is kept while a page of any job shares it.
CREATE INDEX crawl_pages_sharing ON crawl_pages (content_job, url_hash) WHERE content_job IS NOT NULL;

-- Pages of the baseline that no link led to any more. Those that answered 404 or 410 are among the pages.
CREATE TABLE crawl_gone (
  job_id    uuid NOT NULL,
  url_hash  uuid NOT NULL,
  url       text NOT NULL,
  title     text,
  last_seen timestamptz NOT NULL,
  PRIMARY KEY (job_id, url_hash)
);
