-- Answers as they came, of crawls that ask for it (keep_bodies): what a WARC `response` record is made of. Beside the other
-- content and not in a table of its own: it is shared by recrawls, and deleted, with it. Null, it takes no room.
ALTER TABLE crawl_page_contents
  -- Without content and transfer codings; deflated by the runner.
  ADD COLUMN body   bytea,
  -- When it came, from which address, and its status line and headers.
  ADD COLUMN answer jsonb;
ALTER TABLE crawl_page_contents ALTER body SET STORAGE EXTERNAL;
