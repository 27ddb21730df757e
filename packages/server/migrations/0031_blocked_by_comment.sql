-- A comment on a column outlives the layout of the source code, so it names no file.
COMMENT ON COLUMN crawl_jobs.blocked_by IS 'Why a job that was returned early waits: the blocking host, source or page, and the reason. Valid only while run_at or next_retry_at lies ahead. Not indexed: resuming a source searches crawl_jobs_waiting.';
