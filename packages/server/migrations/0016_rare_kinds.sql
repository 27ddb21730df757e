-- Crawls and collect jobs are few among visits: lists of them go along this. It hides the kind in an expression that only such
-- lists have: the planner would take a plain index by kind for a way to the jobs that are ready, and read those of a year.
CREATE INDEX crawl_jobs_of_rare_kind ON crawl_jobs ((CASE kind WHEN 'crawl' THEN 1 WHEN 'collect' THEN 2 END), id)
  WHERE (CASE kind WHEN 'crawl' THEN 1 WHEN 'collect' THEN 2 END) IS NOT NULL;
