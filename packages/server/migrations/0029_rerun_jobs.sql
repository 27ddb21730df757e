-- The completed job that this one runs again. No foreign key: the older one may be pruned first.
ALTER TABLE crawl_jobs ADD COLUMN rerun_of uuid;
