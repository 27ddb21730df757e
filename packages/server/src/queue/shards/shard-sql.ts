/*
 * Pieces of the statements that hand out and take back shards (ADR 38). Each locks the crawl's job row first, then all its shards:
 * shards change only under that lock, so what is decided on the locked rows is decided once, however many runners ask together.
 */

/** All shards of the crawls in `job (id)`, locked: their newest versions, whatever the statement's snapshot says. */
export const everyShard = `every AS MATERIALIZED (
  SELECT shard.* FROM job JOIN crawl_shards shard ON shard.job_id = job.id FOR NO KEY UPDATE OF shard
)`;

/** Whether a free shard has something to do, given the crawl's `state` and its page limit. */
export const hasWork = (shard: string, state: string, limit: string) =>
  `${shard}.worker_id IS NULL AND ${shard}.pending > 0 AND (${shard}.not_before IS NULL OR ${shard}.not_before <= now())
    AND (${limit} IS NULL OR ${state}.fetched + ${state}.leased < ${limit} OR ${shard}.retrying > 0)`;

/** SQL: a crawl's page limit; null without one. */
export const pageLimit = (payload: string) =>
  `(CASE WHEN jsonb_typeof(${payload} -> 'max_pages') = 'number' THEN (${payload} ->> 'max_pages')::numeric END)`;
