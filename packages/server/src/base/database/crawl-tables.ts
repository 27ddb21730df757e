/** Every table that holds rows of one crawl. */
export const crawlTables = [
  'crawl_page_contents',
  'crawl_pages',
  'crawl_frontier',
  'crawl_visited',
  'crawl_hosts',
  'crawl_suspects',
  'crawl_gone',
  'crawl_states',
] as const;
