/** Every table that holds rows of one crawl. */
export const crawlTables = [
  'crawl_page_contents',
  'crawl_pages',
  'crawl_frontier',
  'crawl_visited',
  'crawl_hosts',
  'crawl_shard_hosts',
  'crawl_shards',
  'crawl_suspects',
  'crawl_gone',
  'crawl_cookies',
  'crawl_screenshots',
  'crawl_states',
] as const;

/**
 * SQL condition beside one on `ctid`, with the job's id as $1. A ctid is unique only within a partition, and large installations may
 * partition these tables by job. Written so that no index matches: the ctid leads to the row.
 */
export const ofThisJob = (column: string) => `${column} IS NOT DISTINCT FROM $1::uuid`;
