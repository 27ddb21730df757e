import type { ClientBase } from 'pg';

/*
 * Views under the names and in the words of the source documents, for those who try their SQL. They are made on request, in a
 * schema that stands last in the search path, so that no name of theirs can hide one of ours. Nothing of the product reads them.
 * docs/source-documents.md is their page.
 */

const scrapeJobs = `
CREATE VIEW dialect.scrape_jobs AS
SELECT id, intake_id, source_id, coalesce(payload -> 'query', '{}') AS query_params,
  CASE status WHEN 'processing' THEN 'running' WHEN 'completed' THEN 'succeeded' ELSE status::text END AS status,
  priority, worker_id AS locked_by, CASE WHEN worker_id IS NOT NULL THEN started_at END AS locked_at,
  last_heartbeat AS heartbeat_at, retry_count AS attempts, retry_count, max_retries, next_retry_at, created_at, started_at,
  completed_at, error_message
FROM crawl_jobs
-- As crawl_jobs_of_rare_kind has it: without that index it would go through every visit there is.
WHERE CASE kind WHEN 'crawl' THEN 1 WHEN 'collect' THEN 2 END = 2`;

const coinIntakes = `
CREATE VIEW dialect.coin_intakes AS
SELECT id, title, attributes ->> 'year' AS year, attributes ->> 'mintmark' AS mintmark,
  attributes ->> 'denomination' AS denomination, attributes ->> 'series' AS series, attributes, reference, currency, user_id,
  created_at, updated_at
FROM intakes`;

const crawlPolicy = `
CREATE VIEW dialect.crawl_policy AS
SELECT id, url, frequency_hours, priority, max_retries, retry_backoff_minutes, timeout_minutes, enabled, next_run_at,
  last_success_at, last_failed_at, failure_count, lock_ttl_seconds, kind::text AS kind, user_id, created_at, updated_at
FROM crawl_policies`;

const crawlJob = `
CREATE VIEW dialect.crawl_job AS
SELECT id, payload ->> 'url' AS url,
  CASE status WHEN 'processing' THEN 'locked' WHEN 'completed' THEN 'done' WHEN 'retryable' THEN 'pending'
    ELSE status::text END AS status,
  worker_id AS locked_by, CASE WHEN worker_id IS NOT NULL THEN started_at END AS locked_at,
  coalesce(lock_ttl_seconds, timeout_seconds, ceil(lease_seconds)::integer, 600) AS lock_ttl_seconds, policy_id, priority,
  retry_count, max_retries, timeout_seconds, kind::text AS kind, user_id, created_at, started_at, completed_at, error_message
FROM crawl_jobs WHERE kind IN ('visit', 'crawl')`;

const crawlResult = `
CREATE VIEW dialect.crawl_result AS
SELECT id, job_id, policy_id, url, price, currency, title, in_stock, parsed_data, user_id, crawled_at, crawled_at AS created_at
FROM crawl_results`;

const views = {
  scrape_jobs: scrapeJobs,
  coin_intakes: coinIntakes,
  crawl_policy: crawlPolicy,
  crawl_job: crawlJob,
  crawl_result: crawlResult,
};
export const dialectViewNames = Object.keys(views);

/** Document 003 makes its test jobs by an INSERT of 20 like rows: so these have no dedupe key. */
const insertScrapeJob = `
CREATE FUNCTION dialect.insert_scrape_job() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  intake intakes;
  adapter text;
BEGIN
  IF coalesce(NEW.status, 'pending') <> 'pending' THEN
    RAISE 'a new job is pending, not %', NEW.status USING HINT = 'Leave the status out, or write ''pending''.';
  END IF;
  SELECT * INTO intake FROM intakes WHERE id = NEW.intake_id;
  IF NOT FOUND THEN
    RAISE 'there is no intake %', coalesce(NEW.intake_id::text, 'yet')
      USING HINT = 'Make one first: holdfast intakes create "1909-S VDB cent".';
  END IF;
  SELECT coalesce(adapter_type, 'none') INTO adapter FROM sources WHERE id = NEW.source_id;
  IF NOT FOUND THEN
    RAISE 'there is no source %', coalesce(NEW.source_id, 'yet') USING HINT = 'See them with: holdfast sources list.';
  ELSIF adapter NOT IN ('json', 'html', 'module') THEN
    RAISE 'source % cannot be asked for prices', NEW.source_id
      USING HINT = 'Choose one with: (SELECT id FROM sources WHERE enabled = true AND adapter_type IN (''json'', ''html'', ''module'') LIMIT 1).';
  END IF;
  INSERT INTO crawl_jobs (kind, payload, source_id, user_id, priority, max_retries, timeout_seconds)
  VALUES ('collect', jsonb_strip_nulls(jsonb_build_object('intake_id', intake.id, 'title', intake.title,
      'query', nullif(NEW.query_params, '{}'))),
    NEW.source_id, intake.user_id, coalesce(NEW.priority, 0), coalesce(NEW.max_retries, 3), 600)
  RETURNING id, created_at INTO NEW.id, NEW.created_at;
  NEW.status := 'pending';
  RETURN NEW;
END $$;
CREATE TRIGGER insert_scrape_job INSTEAD OF INSERT ON dialect.scrape_jobs
  FOR EACH ROW EXECUTE FUNCTION dialect.insert_scrape_job()`;

const refuseChange = `
CREATE FUNCTION dialect.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'the view % is read-only', TG_TABLE_NAME
    USING HINT = 'Use the commands of holdfast, or the tables; docs/source-documents.md says which.';
END $$`;

const readOnly = Object.keys(views).map((name) => {
  const events = name === 'scrape_jobs' ? 'UPDATE OR DELETE' : 'INSERT OR UPDATE OR DELETE';
  return `CREATE TRIGGER refuse_change INSTEAD OF ${events} ON dialect.${name}
  FOR EACH ROW EXECUTE FUNCTION dialect.refuse_change()`;
});

/** Document 001 takes the default of its ids from the extension uuid-ossp. */
const uuids = `CREATE FUNCTION dialect.uuid_generate_v4() RETURNS uuid LANGUAGE sql VOLATILE AS 'SELECT gen_random_uuid()'`;

const make = [...Object.values(views), insertScrapeJob, refuseChange, ...readOnly, uuids].join(';\n');

/** Not what others have put into the schema; who has built on these views is named by the error. */
const drop = [
  ...Object.keys(views).map((name) => `DROP VIEW IF EXISTS dialect.${name}`),
  'DROP FUNCTION IF EXISTS dialect.insert_scrape_job(), dialect.refuse_change(), dialect.uuid_generate_v4()',
].join(';\n');

export async function hasDialectViews(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regnamespace('dialect') IS NOT NULL AS there`);
  return rows[0]?.there === true;
}

/** In a transaction of the caller's, as the functions below. */
export async function makeDialectViews(client: ClientBase): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS dialect');
  await client.query(drop);
  await client.query(make);
}

/** For the time of a migration, which may change what they stand on. */
export async function dropDialectViews(client: ClientBase): Promise<void> {
  await client.query(drop);
}

export async function removeDialectViews(client: ClientBase): Promise<void> {
  if (!(await hasDialectViews(client))) return;
  await client.query(drop);
  await client.query('DROP SCHEMA dialect');
}
