-- Counting the pages of a reason went to each of them in the table, because PostgreSQL does not see that the index has the reason
-- itself where it has something made of it. With the reason beside it, the index alone answers (2,000 of them: 0.7 ms against 4.1).
DROP INDEX crawl_pages_not_fetched;
CREATE INDEX crawl_pages_not_fetched ON crawl_pages (job_id, outcome, (coalesce(reason, '') COLLATE "C"), page_no)
  INCLUDE (reason) WHERE outcome <> 'fetched';
