-- Which workers can render pages, and why the others cannot.
ALTER TABLE workers ADD COLUMN browser text, ADD COLUMN browser_problem text;
COMMENT ON COLUMN workers.browser IS 'The browser that renders its pages. Null: it has none.';
COMMENT ON COLUMN workers.browser_problem IS 'Why it has no browser.';
