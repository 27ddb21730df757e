-- How each page was fetched, and why.
ALTER TABLE crawl_pages ADD COLUMN render_reason text;
COMMENT ON COLUMN crawl_pages.render_reason IS 'Why the page ran in a browser, or why it did not although it may need JavaScript. Null: nothing suggested that it does.';
