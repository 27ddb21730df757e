import { type Queryable, run, statement } from '../database/statement.ts';
import { wasHad } from '../pages/was-had.ts';
import type { FrontierEntry } from './frontier-entry.ts';

const entryColumns = [
  'host',
  'seq',
  'url',
  'url_hash',
  'kind',
  'depth',
  'redirects',
  'parent',
  'attempts',
  'retry_of',
]
  .map((column) => `frontier.${column}`)
  // Measured by the clock that set it: the clock of this machine may be off by minutes.
  .concat('(extract(epoch FROM frontier.not_before - now()) * 1000)::float8 AS wait_ms')
  .join(', ');

const readStatement = statement<FrontierEntry>(
  'read-frontier',
  `
SELECT ${entryColumns} FROM crawl_frontier frontier
WHERE job_id = $1 AND host = $2 AND seq > $3 ORDER BY seq LIMIT $4`,
);

/** With what the baseline knows of each page, in the same read: a recrawl asks no more often than another crawl. */
const readComparedStatement = statement<FrontierEntry>(
  'read-frontier-compared',
  `
SELECT ${entryColumns}, before.seen AS before FROM (
  SELECT * FROM crawl_frontier WHERE job_id = $1 AND host = $2 AND seq > $3 ORDER BY seq LIMIT $4
) frontier LEFT JOIN LATERAL (
  SELECT jsonb_build_object('etag', etag, 'lastModified', last_modified, 'contentHash', content_hash) AS seen
  FROM crawl_pages page
  WHERE page.job_id = $5 AND page.url_hash = frontier.url_hash AND ${wasHad('page')} LIMIT 1
) before ON true
ORDER BY frontier.seq`,
);

/** `done`: pages of the host that were fetched, or failed for good. */
const hostsStatement = statement<{ host: string; pending: number; done: number; low_seq: number }>(
  'read-frontier-hosts',
  `
SELECT host, pending, done, low_seq FROM crawl_hosts WHERE job_id = $1 AND host > $2 AND pending > 0 ORDER BY host LIMIT $3`,
);

export interface FrontierOf {
  readonly jobId: string;
  /** The job that the crawl is compared with. */
  readonly baseline: string | null;
}

/** The next rows of one host behind a position. By key, never by offset: its cost does not grow with the crawl. */
export function readFrontier(
  db: Queryable,
  { jobId, baseline }: FrontierOf,
  host: string,
  afterSeq: number,
  limit: number,
): Promise<FrontierEntry[]> {
  const values = [jobId, host, afterSeq, limit];
  return baseline === null
    ? run(db, readStatement, values)
    : run(db, readComparedStatement, [...values, baseline]);
}

/** Hosts with something left to do, by name behind `afterHost`, and where their live rows begin. */
export function readHosts(db: Queryable, jobId: string, afterHost: string, limit: number) {
  return run(db, hostsStatement, [jobId, afterHost, limit]);
}
