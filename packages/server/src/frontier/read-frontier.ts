import { type Queryable, run, statement } from '../database/statement.ts';
import type { FrontierEntry } from './frontier-entry.ts';

const readStatement = statement<FrontierEntry>(
  'read-frontier',
  `
SELECT host, seq, url, url_hash, kind, depth, redirects, parent, attempts, not_before FROM crawl_frontier
WHERE job_id = $1 AND host = $2 AND seq > $3 ORDER BY seq LIMIT $4`,
);

const hostsStatement = statement<{ host: string; pending: number; low_seq: number }>(
  'read-frontier-hosts',
  `
SELECT host, pending, low_seq FROM crawl_hosts WHERE job_id = $1 AND host > $2 AND pending > 0 ORDER BY host LIMIT $3`,
);

/** The next rows of one host behind a position. By key, never by offset: its cost does not grow with the crawl. */
export function readFrontier(
  db: Queryable,
  jobId: string,
  host: string,
  afterSeq: number,
  limit: number,
): Promise<FrontierEntry[]> {
  return run(db, readStatement, [jobId, host, afterSeq, limit]);
}

/** Hosts with something left to do, by name behind `afterHost`, and where their live rows begin. */
export function readHosts(db: Queryable, jobId: string, afterHost: string, limit: number) {
  return run(db, hostsStatement, [jobId, afterHost, limit]);
}
