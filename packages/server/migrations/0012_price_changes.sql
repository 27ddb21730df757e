-- What a page cost before and what it costs now, wherever two results of one owner and URL differ.
CREATE TABLE price_changes (
  result_id          uuid PRIMARY KEY REFERENCES crawl_results ON DELETE CASCADE,
  job_id             uuid NOT NULL,
  policy_id          uuid,
  user_id            text NOT NULL,
  url                text NOT NULL,
  previous_result_id uuid NOT NULL,
  previous_price     numeric NOT NULL,
  previous_currency  text NOT NULL,
  price              numeric NOT NULL,
  currency           text NOT NULL,
  changed_at         timestamptz NOT NULL
);
CREATE INDEX price_changes_of_owner ON price_changes (user_id, result_id);
CREATE INDEX price_changes_of_url ON price_changes (md5(url), result_id);
CREATE INDEX price_changes_of_policy ON price_changes (policy_id, result_id) WHERE policy_id IS NOT NULL;

-- A trigger, because results come from our own bot and from others', and neither may forget it. It runs once for all
-- results of a statement, in the transaction that completes their jobs: the event of the completion then tells of the
-- change, in the timeline and in the stream.
CREATE FUNCTION record_price_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH change AS (
    INSERT INTO price_changes (result_id, job_id, policy_id, user_id, url, previous_result_id, previous_price,
      previous_currency, price, currency, changed_at)
    SELECT added.id, added.job_id, added.policy_id, added.user_id, added.url, previous.id, previous.price,
      previous.currency, added.price, added.currency, added.crawled_at
    FROM added CROSS JOIN LATERAL (
      SELECT id, price, currency FROM crawl_results earlier
      WHERE md5(earlier.url) = md5(added.url) AND earlier.url = added.url AND earlier.user_id = added.user_id
        AND earlier.id < added.id AND earlier.price IS NOT NULL AND earlier.currency IS NOT NULL
      ORDER BY earlier.id DESC LIMIT 1
    ) previous
    WHERE added.price IS NOT NULL AND added.currency IS NOT NULL
      AND (previous.price, previous.currency) <> (added.price, added.currency)
    RETURNING *
  )
  UPDATE job_events event SET reason = concat_ws('; ', event.reason, format('price changed from %s %s to %s %s',
    change.previous_price, change.previous_currency, change.price, change.currency))
  FROM change
  WHERE event.job_id = change.job_id AND event.transition = 'complete'
    AND event.event_no = (SELECT job.event_count FROM crawl_jobs job WHERE job.id = change.job_id);
  RETURN NULL;
END $$;
CREATE TRIGGER record_price_changes AFTER INSERT ON crawl_results REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION record_price_changes();
