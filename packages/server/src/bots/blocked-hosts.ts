import { type Queryable, run, statement } from '../database/statement.ts';

/** Hosts whose jobs no bot gets now, because their source is paused or disabled. */
export interface BlockedHosts {
  /** Surely blocked. */
  readonly hosts: readonly string[];
  /** LIKE patterns of hosts that may be: each has to be looked at (SQL's host_is_open). */
  readonly suspects: readonly string[];
}

/*
 * The source of a host is the configured one with the closest pattern, else the host's own. So a blocked source of a single
 * host blocks it unless a closer one is configured, and one with a wildcard makes all that is below it suspect. A
 * configured host stands for all its ports.
 */
const readStatement = statement<BlockedHosts>(
  'read-blocked-hosts',
  `
WITH blocked AS MATERIALIZED (
  SELECT id, hosts, configured FROM sources
  WHERE (NOT enabled OR paused_until IS NOT NULL) AND (NOT enabled OR paused_until > now())
),
named AS (
  SELECT host FROM blocked CROSS JOIN LATERAL unnest(hosts) AS host WHERE configured AND host NOT LIKE '*.%'
  UNION
  SELECT substring(id FROM 6) FROM blocked WHERE NOT configured AND id LIKE 'host:%'
)
SELECT
  ARRAY(SELECT host FROM named WHERE NOT host_is_open(host)) AS hosts,
  ARRAY(
    SELECT '%' || substring(host FROM 2) FROM blocked CROSS JOIN LATERAL unnest(hosts) AS host
    WHERE configured AND host LIKE '*.%'
    UNION ALL
    SELECT '%:%' WHERE EXISTS (SELECT FROM blocked WHERE configured)
  ) AS suspects`,
);

/** So long a pause may go unnoticed. */
const rememberMs = 1_000;

/** What is blocked, read at most once a second: there may be thousands of such hosts, and as many pulls. */
export class BlockedHostList {
  readonly #db: Queryable;
  readonly #rememberMs: number;
  #read: { readonly until: number; readonly blocked: Promise<BlockedHosts> } | undefined;

  constructor(db: Queryable, remember = rememberMs) {
    this.#db = db;
    this.#rememberMs = remember;
  }

  async read(): Promise<BlockedHosts> {
    if (this.#read && this.#read.until > performance.now()) return this.#read.blocked;
    const read = { until: performance.now() + this.#rememberMs, blocked: this.#look() };
    this.#read = read;
    read.blocked.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return read.blocked;
  }

  async #look(): Promise<BlockedHosts> {
    const [row] = await run(this.#db, readStatement);
    return row ?? { hosts: [], suspects: [] };
  }
}
