-- What a list or page left out of the crawl: when it is tried again, its new counts replace these.
ALTER TABLE crawl_pages ADD COLUMN left_out jsonb;
COMMENT ON COLUMN crawl_pages.left_out IS 'Of a failed or skipped URL: URLs found there that are not fetched, by reason. Part of off_scope of the crawl.';

-- The last failure of a URL that waits for another attempt. It becomes its outcome if a limit leaves no room for one.
ALTER TABLE crawl_frontier ADD COLUMN failure jsonb;
