-- The pending ones of a webhook as lists show them, the newest first. Said in words that only such lists have: the planner would
-- take the other index of pending ones for as good, and sort a million of them.
CREATE INDEX webhook_deliveries_pending_newest ON webhook_deliveries (webhook_id, id) WHERE status NOT IN ('delivered', 'dead');

-- Where all is one owner's, the primary key is as good.
CREATE INDEX crawl_policies_of_owner ON crawl_policies (user_id, id) WHERE user_id <> 'local';
