import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Hosts whose jobs bots do not get now because their source is paused or disabled. */
export interface BlockedHosts {
  readonly hosts: readonly string[];
  /** A configured host covers all its ports, so hosts with a port must be checked one by one (SQL's host_is_open). */
  readonly ports: boolean;
}

/** Most hosts read for a wildcard. */
const maxHosts = 10_000;

/*
 * A host belongs to the configured source with the closest pattern, else to its own. For a blocked wildcard, this finds the hosts
 * with jobs ready for bots, skipping from host to host in their index: the cost grows with hosts, not jobs.
 */
const readStatement = statement<BlockedHosts>(
  'read-blocked-hosts',
  `
WITH RECURSIVE blocked AS MATERIALIZED (
  SELECT id, hosts, configured FROM sources
  WHERE (NOT enabled OR paused_until IS NOT NULL) AND (NOT enabled OR paused_until > now())
),
wildcard AS MATERIALIZED (
  SELECT reverse(substring(host FROM 2)) AS domain FROM blocked CROSS JOIN LATERAL unnest(hosts) AS host
  WHERE configured AND host LIKE '*.%'
),
below (domain, key, no) AS (
  SELECT domain, domain COLLATE "C", 0 FROM wildcard
  UNION ALL
  SELECT below.domain, next.key, below.no + 1 FROM below CROSS JOIN LATERAL (
    SELECT domain_key(host) COLLATE "C" AS key FROM crawl_jobs
    WHERE status = 'pending' AND run_at IS NULL AND executor = 'bot'
      AND domain_key(host) COLLATE "C" > below.key AND domain_key(host) COLLATE "C" < rtrim(below.domain, '.') || '/'
    ORDER BY domain_key(host) COLLATE "C" LIMIT 1
  ) next
  WHERE below.no < ${maxHosts}
),
named (host) AS (
  SELECT host FROM blocked CROSS JOIN LATERAL unnest(hosts) AS host WHERE configured AND host NOT LIKE '*.%'
  UNION
  SELECT substring(id FROM 6) FROM blocked WHERE NOT configured AND id LIKE 'host:%'
  UNION
  SELECT reverse(key) FROM below WHERE no > 0
)
SELECT ARRAY(SELECT host FROM named WHERE NOT host_is_open(host)) AS hosts,
  EXISTS (SELECT FROM blocked WHERE configured) AS ports`,
);

/** How long the list is cached: this long, or ten times the time to read it. */
const rememberMs = 1_000;

/** The blocked hosts, cached for about a second: there may be thousands of them, and as many pulls. */
export class BlockedHostList {
  readonly #db: Queryable;
  readonly #rememberMs: number;
  #read: { until: number; readonly blocked: Promise<BlockedHosts> } | undefined;

  constructor(db: Queryable, remember = rememberMs) {
    this.#db = db;
    this.#rememberMs = remember;
  }

  /** Drops the cached list, because a source was paused, resumed or changed. */
  forget(): void {
    this.#read = undefined;
  }

  async read(): Promise<BlockedHosts> {
    const started = performance.now();
    if (this.#read && this.#read.until > started) return this.#read.blocked;
    const read = { until: Number.POSITIVE_INFINITY, blocked: this.#look() };
    this.#read = read;
    try {
      const blocked = await read.blocked;
      const now = performance.now();
      read.until = now + (this.#rememberMs && Math.max(this.#rememberMs, 10 * (now - started)));
      return blocked;
    } catch (error) {
      if (this.#read === read) this.#read = undefined;
      throw error;
    }
  }

  async #look(): Promise<BlockedHosts> {
    const [row] = await run(this.#db, readStatement);
    return row ?? { hosts: [], ports: false };
  }
}
