-- What lists, counts and summaries go by, so that each stays quick with a million jobs in the table.

-- Jobs that are neither ready nor running nor completed. The way of a job that succeeds (ready, running, completed) never
-- touches it, so claims and completions pay nothing for it.
CREATE INDEX crawl_jobs_set_aside ON crawl_jobs (status, id) INCLUDE (kind)
  WHERE status IN ('retryable', 'paused', 'failed', 'cancelled', 'expired');

-- What went wrong in a crawl, by reason and then in the order of its pages; counted and sampled without reading the rest.
-- Codes are compared byte by byte, whatever the collation of the database.
DROP INDEX crawl_pages_not_fetched;
CREATE INDEX crawl_pages_not_fetched ON crawl_pages (job_id, outcome, (coalesce(reason, '') COLLATE "C"), page_no)
  WHERE outcome <> 'fetched';

-- Sources that somebody configured, and those that let nothing through, among the rows of every host ever crawled.
-- Configuring, pausing and resuming one is rare, so that nearly all updates are HOT still.
CREATE INDEX sources_configured ON sources (id) WHERE configured;
CREATE INDEX sources_blocked ON sources (id) WHERE NOT enabled OR paused_until IS NOT NULL;
