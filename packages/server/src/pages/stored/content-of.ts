/**
 * The content of a page, as `content`, to stand behind a FROM that has the page under this name with its job_id, url_hash
 * and content_job. A page that did not change since the crawl before has its content in another job. By key and page for
 * page: LIMIT keeps the planner from reading the contents of all jobs.
 */
export const contentOf = (page: string) => `LEFT JOIN LATERAL (
  SELECT markdown, links, html, body, answer FROM crawl_page_contents stored
  WHERE stored.job_id = coalesce(${page}.content_job, ${page}.job_id) AND stored.url_hash = ${page}.url_hash LIMIT 1
) content ON true`;
