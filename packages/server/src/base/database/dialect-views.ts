import type { ClientBase } from 'pg';

/*
 * Views with the names and vocabulary of the source documents, for trying out their SQL. They are created on request, in a
 * schema at the end of the search path, so that they never hide a table. The product does not read them.
 * See docs/source-documents.md.
 */

const scrapeJobs = `
CREATE VIEW dialect.scrape_jobs AS
SELECT id, intake_id, source_id, coalesce(payload -> 'query', '{}') AS query_params,
  CASE status WHEN 'processing' THEN 'running' WHEN 'completed' THEN 'succeeded' ELSE status::text END AS status,
  priority, worker_id AS locked_by, CASE WHEN worker_id IS NOT NULL THEN started_at END AS locked_at,
  last_heartbeat AS heartbeat_at, retry_count AS attempts, retry_count, max_retries, next_retry_at, created_at, started_at,
  completed_at, error_message
FROM crawl_jobs
-- The expression of the index crawl_jobs_of_rare_kind, without which every visit would be read.
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

/** Document 003 creates test jobs by inserting 20 identical rows, so these have no dedupe key. */
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

/** Document 001 uses the extension uuid-ossp for its ids. */
const uuids = `CREATE FUNCTION dialect.uuid_generate_v4() RETURNS uuid LANGUAGE sql VOLATILE AS 'SELECT gen_random_uuid()'`;

const create = [...Object.values(views), insertScrapeJob, refuseChange, ...readOnly, uuids].join(';\n');

/** Leaves other objects in the schema alone. If something depends on these views, the error names it. */
const drop = [
  ...Object.keys(views).map((name) => `DROP VIEW IF EXISTS dialect.${name}`),
  'DROP FUNCTION IF EXISTS dialect.insert_scrape_job(), dialect.refuse_change(), dialect.uuid_generate_v4()',
].join(';\n');

export async function hasDialectViews(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regnamespace('dialect') IS NOT NULL AS there`);
  return rows[0]?.there === true;
}

/** In a transaction of the caller, like the functions below. */
export async function createDialectViews(client: ClientBase): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS dialect');
  await client.query(drop);
  await client.query(create);
}

/** During a migration, which may change the tables below the views. */
export async function dropDialectViews(client: ClientBase): Promise<void> {
  await client.query(drop);
}

export async function removeDialectViews(client: ClientBase): Promise<void> {
  if (!(await hasDialectViews(client))) return;
  await client.query(drop);
  await client.query('DROP SCHEMA dialect');
}

/** The search path of new sessions of this role in this database; `configured` if it is set for exactly these two. */
const readPathText = `
SELECT current_user AS role, current_database() AS database, current_setting('search_path') AS path, (
  SELECT split_part(setting, '=', 2) FROM pg_db_role_setting, unnest(setconfig) AS setting
  WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND setting LIKE 'search_path=%') AS configured`;

interface SearchPath {
  readonly role: string;
  readonly database: string;
  readonly path: string;
  readonly configured: string | null;
}

const addedComment = 'Holdfast added it to the search path';

async function readSearchPath(client: ClientBase): Promise<SearchPath> {
  return (await client.query<SearchPath>(readPathText)).rows[0] as SearchPath;
}

const namesDialect = (path: string) => /(^|,)\s*"?dialect"?\s*(,|$)/.test(path);

function alterRole(client: ClientBase, { role, database }: SearchPath, change: string): Promise<unknown> {
  const [quotedRole, quotedDatabase] = [role, database].map((name) => `"${name.replaceAll('"', '""')}"`);
  return client.query(`ALTER ROLE ${quotedRole} IN DATABASE ${quotedDatabase} ${change}`);
}

/**
 * Appends the schema of the views to the search path of new sessions of this role in this database, so that their names need no
 * prefix, in psql as in `holdfast sql`.
 */
export async function addToSearchPath(client: ClientBase): Promise<void> {
  const found = await readSearchPath(client);
  const path = found.configured ?? found.path;
  if (namesDialect(path)) return;
  await alterRole(client, found, `SET search_path TO ${path}, dialect`);
  // The comment disappears with the schema. It says that the setting did not exist before, so that removal resets it.
  if (found.configured === null) await client.query(`COMMENT ON SCHEMA dialect IS '${addedComment}'`);
}

export async function removeFromSearchPath(client: ClientBase): Promise<void> {
  const found = await readSearchPath(client);
  if (found.configured === null || !namesDialect(found.configured)) return;
  const { rows } = await client.query(
    `SELECT obj_description(to_regnamespace('dialect'), 'pg_namespace') AS comment`,
  );
  const rest = found.configured.split(',').filter((name) => !namesDialect(name));
  const change =
    rows[0]?.comment === addedComment ? 'RESET search_path' : `SET search_path TO ${rest.join(',')}`;
  await alterRole(client, found, change);
}
