import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type HeldJob, leaseLost } from '../../queue/jobs/held-job.ts';
import type { ShardBy } from '../../queue/shards/open-shards.ts';
import { currentUrlRules, type UrlRulesVersion } from '../../web/urls/url-rules.ts';
import type { SavedShard } from './checkpoint-statement.ts';

/** The saved state of a crawl. */
export interface CrawlState {
  /** 0 before the crawl has begun. */
  readonly checkpoint_no: number;
  readonly total_pending: number;
  readonly total_processed: number;
  readonly fetched: number;
  readonly failed: number;
  readonly skipped: number;
  readonly redirected: number;
  readonly not_crawled: number;
  /** Frontier rows of retried pages. */
  readonly retrying: number;
  readonly discovery: Record<string, unknown>;
  /** The baseline job, if its pages still exist. */
  readonly baseline: string | null;
  /** The URL rules of the baseline's hashes. */
  readonly baseline_rules: UrlRulesVersion | null;
  /** What the runner holds of a crawl with several shards. */
  readonly shard?: ShardState | undefined;
}

/** Where a shard stands. Its checkpoints are numbered by itself. */
export interface ShardState extends Omit<SavedShard, 'others' | 'seeds'> {
  readonly shard: number;
  readonly shards: number;
  readonly shard_by: ShardBy;
  readonly checkpoint_no: number;
}

const shardStatement = statement<ShardState>(
  'read-shard',
  `SELECT shard, shards, shard_by, checkpoint_no, pending, retrying, arrivals, budget FROM crawl_shards
   WHERE job_id = $1 AND fence = $2 AND worker_id IS NOT NULL`,
);

/** The shard that a runner holds; undefined in a crawl with one. */
async function readShard(db: Queryable, job: HeldJob): Promise<ShardState | undefined> {
  if (job.ticket === undefined) return undefined;
  const [shard] = await run(db, shardStatement, [job.id, job.ticket]);
  if (!shard) throw leaseLost(job);
  return shard;
}

const stateColumns =
  'checkpoint_no, total_pending, total_processed, fetched, failed, skipped, redirected, not_crawled, retrying, discovery';

/** SQL: two payloads with literally the same URLs. */
export const sameSeeds = (one: string, other: string) =>
  `${one} -> 'url' = ${other} -> 'url' AND ${one} -> 'urls' IS NOT DISTINCT FROM ${other} -> 'urls'`;

/*
 * The baseline is chosen once, when the crawl begins. Its row is locked against pruning meanwhile: pruning looks for crawls that
 * compare with a job after it has deleted that job's row (prune-jobs.ts).
 */
const openStatement = statement<CrawlState>(
  'open-frontier',
  `
WITH held AS (
  SELECT id, user_id, payload FROM crawl_jobs WHERE id = $1 AND fence = $2 AND status::text = 'processing' FOR NO KEY UPDATE
),
before AS MATERIALIZED (
  SELECT job.id FROM held, crawl_states state JOIN crawl_jobs job ON job.id = state.job_id
  WHERE $4 AND job.user_id = held.user_id AND job.status::text = 'completed' AND (state.crawl_key = $3
    OR (state.crawl_key = $6 AND state.url_rules = 1 AND ${sameSeeds('job.payload', 'held.payload')}))
  ORDER BY job.completed_at DESC LIMIT 1 FOR KEY SHARE OF job
),
begun AS (
  INSERT INTO crawl_states (job_id, crawl_key, baseline, url_rules) SELECT id, $3, (SELECT id FROM before), $5 FROM held
  ON CONFLICT DO NOTHING RETURNING ${stateColumns}, baseline
),
opened AS (
  SELECT * FROM begun
  UNION ALL
  SELECT ${stateColumns}, baseline FROM crawl_states state JOIN held ON held.id = state.job_id
)
SELECT ${stateColumns}, base.job_id AS baseline, base.url_rules AS baseline_rules
FROM opened LEFT JOIN LATERAL (
  SELECT job_id, url_rules FROM crawl_states WHERE job_id = opened.baseline
) base ON true`,
);

export interface CrawlName {
  /** Crawls with the same key are comparable. */
  readonly key: string;
  /** The key by version 0.2, where it differs. */
  readonly keyOf02?: string;
  /** Compare it with its owner's last completed crawl. */
  readonly recrawl: boolean;
  /** For a new crawl; default: the current version. */
  readonly urlRules?: UrlRulesVersion;
}

/** The state a run starts from: that of the last checkpoint, or an empty one. */
export async function openFrontier(
  db: Queryable,
  job: HeldJob,
  { key, recrawl, keyOf02 = key, urlRules = currentUrlRules }: CrawlName,
): Promise<CrawlState> {
  const open = () => run(db, openStatement, [job.id, job.fence, key, recrawl, urlRules, keyOf02]);
  // Twice: an earlier attempt whose answer was lost may have begun the crawl while this one waited for the job's row, too late for
  // this one's snapshot to see.
  const state = (await open())[0] ?? (await open())[0];
  if (!state) throw leaseLost(job);
  return { ...state, shard: await readShard(db, job) };
}
