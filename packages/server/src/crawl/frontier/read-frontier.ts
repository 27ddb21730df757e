import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { wasHad } from '../../pages/stored/page.ts';
import { firstSeq, shardBits } from './checkpoint-statement.ts';
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
  'refusals',
  'retry_of',
]
  .map((column) => `frontier.${column}`)
  // By the database's clock, which set it: this machine's may be off by minutes.
  .concat('(extract(epoch FROM frontier.not_before - now()) * 1000)::float8 AS wait_ms')
  .join(', ');

/** All rows, or only retried pages, which have their own index: they may be few among millions. */
const parts = { all: '', retried: ' AND retry_of IS NOT NULL' };

const readText = (which: string) => `
SELECT ${entryColumns} FROM crawl_frontier frontier
WHERE job_id = $1 AND host = $2 AND seq > $3 AND seq < $5${which} ORDER BY seq LIMIT $4`;

/**
 * Joins the baseline's page, so that a recrawl needs no further queries. Validators of a rendered page are left out:
 * they belong to its empty shell, not to the content its scripts load.
 */
const readComparedText = (which: string) => `
SELECT ${entryColumns}, before.seen AS before FROM (
  SELECT * FROM crawl_frontier WHERE job_id = $1 AND host = $2 AND seq > $3 AND seq < $5${which} ORDER BY seq LIMIT $4
) frontier LEFT JOIN LATERAL (
  SELECT CASE WHEN rendered OR render_reason IN ('no_browser', 'render_failed')
    THEN jsonb_build_object('etag', NULL, 'lastModified', NULL, 'contentHash', content_hash)
    ELSE jsonb_build_object('etag', etag, 'lastModified', last_modified, 'contentHash', content_hash) END AS seen
  FROM crawl_pages page
  WHERE page.job_id = $6 AND page.url_hash = frontier.url_hash AND ${wasHad('page')} LIMIT 1
) before ON true
ORDER BY frontier.seq`;

export const readStatements = {
  all: statement<FrontierEntry>('read-frontier', readText(parts.all)),
  retried: statement<FrontierEntry>('read-frontier-retried', readText(parts.retried)),
};
const readComparedStatements = {
  all: statement<FrontierEntry>('read-frontier-compared', readComparedText(parts.all)),
  retried: statement<FrontierEntry>('read-frontier-compared-retried', readComparedText(parts.retried)),
};

/** `done`: pages of the host that were fetched or have finally failed. */
interface HostRow {
  readonly host: string;
  readonly pending: number;
  readonly done: number;
  readonly low_seq: number;
}

const hostsText = (table: string, which: string) => `
SELECT host, pending, done, low_seq FROM ${table} known
WHERE job_id = $1 AND host > $2 AND pending > 0${which} ORDER BY host LIMIT $3`;

const hasRetried = (bounds: string) => ` AND EXISTS (
  SELECT FROM crawl_frontier frontier
  WHERE frontier.job_id = $1 AND frontier.host = known.host${bounds}${parts.retried})`;

const hostsStatements = {
  all: statement<HostRow>('read-frontier-hosts', hostsText('crawl_hosts', '')),
  retried: statement<HostRow>('read-frontier-hosts-retried', hostsText('crawl_hosts', hasRetried(''))),
};
const ofShard = ' AND shard = $4::smallint';
const shardHostsStatements = {
  all: statement<HostRow>('read-shard-hosts', hostsText('crawl_shard_hosts', ofShard)),
  retried: statement<HostRow>(
    'read-shard-hosts-retried',
    hostsText(
      'crawl_shard_hosts',
      `${ofShard}${hasRetried(` AND frontier.seq >= $4::bigint << ${shardBits} AND frontier.seq < ($4::bigint + 1) << ${shardBits}`)}`,
    ),
  ),
};

export type FrontierPart = keyof typeof parts;

export interface FrontierOf {
  readonly jobId: string;
  /** The job that the crawl is compared with. */
  readonly baseline: string | null;
  /** Of a crawl with several. */
  readonly shard?: number | undefined;
}

export interface FrontierStretch {
  readonly host: string;
  readonly afterSeq: number;
  readonly limit: number;
  readonly part: FrontierPart;
}

/** The next rows of a host after a position. By key, not by offset, so that the cost does not grow with the crawl. */
export function readFrontier(
  db: Queryable,
  { jobId, baseline, shard = 0 }: FrontierOf,
  { host, afterSeq, limit, part }: FrontierStretch,
): Promise<FrontierEntry[]> {
  const values = [jobId, host, afterSeq, limit, firstSeq(shard + 1)];
  return baseline === null
    ? run(db, readStatements[part], values)
    : run(db, readComparedStatements[part], [...values, baseline]);
}

/** Hosts with rows left, by name after `afterHost`, and where their live rows begin. */
export function readHosts(
  db: Queryable,
  { jobId, shard }: Pick<FrontierOf, 'jobId' | 'shard'>,
  afterHost: string,
  limit: number,
  part: FrontierPart,
): Promise<HostRow[]> {
  const values = [jobId, afterHost, limit];
  return shard === undefined
    ? run(db, hostsStatements[part], values)
    : run(db, shardHostsStatements[part], [...values, shard]);
}
