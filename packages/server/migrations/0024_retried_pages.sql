-- A page that is tried again keeps its record until a new outcome replaces it. Its frontier row says which outcome that is;
-- null for a URL that has no page yet, so that no other row grows. Such a page was asked for: the trap detector lets it pass.
ALTER TABLE crawl_frontier ADD COLUMN retry_of page_outcome;

-- Always the number of frontier rows with retry_of.
ALTER TABLE crawl_states ADD COLUMN retrying integer NOT NULL DEFAULT 0;

-- Those rows alone, which are few: the frontier of a crawl may have millions. Ordinary rows are not in it.
CREATE INDEX crawl_frontier_retried ON crawl_frontier (job_id, host, seq) WHERE retry_of IS NOT NULL;
