-- A place for readers of the whole stream of events: the transaction that wrote each. Transactions do not commit in the
-- order of their numbers, so a reader takes only what lies below the oldest one still running (pg_snapshot_xmin).
ALTER TABLE job_events ADD COLUMN tx bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint;
-- Rows come in the order of their transactions and of time, nearly: a summary of page ranges finds them by either at almost
-- no cost to writers.
CREATE INDEX job_events_stream ON job_events USING brin (tx, at) WITH (pages_per_range = 32, autosummarize = on);
