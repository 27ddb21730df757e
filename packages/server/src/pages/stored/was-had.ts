/**
 * Whether a crawl has the page, or what was had of it before: in a recrawl, a page that cannot be had keeps the content of the
 * baseline, so that an outage makes no page new for the next one.
 */
export const wasHad = (page: string) => `(${page}.outcome = 'fetched' OR ${page}.content_job IS NOT NULL)`;
