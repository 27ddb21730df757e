import type { RequestedAction } from '@holdfast/contract';
import { ofThisJob } from '../../base/database/crawl-tables.ts';
import { type Statement, statement } from '../../base/database/statement.ts';
import { hasWork } from '../../queue/shards/shard-sql.ts';

export interface SavedCheckpoint {
  readonly requested_action: RequestedAction | null;
  readonly total_pending: number;
  readonly total_processed: number;
  readonly fetched: number;
  /** Frontier rows of retried pages. */
  readonly retrying: number;
  /** How many of the found URLs were new. */
  readonly added: number;
  /** Of a crawl with several shards: how the runner's own one stands. */
  readonly shard: SavedShard | null;
}

export interface SavedShard {
  readonly pending: number;
  readonly retrying: number;
  /** Counts URLs that other shards added. */
  readonly arrivals: number;
  /** Pages that may still be fetched within the page limit. */
  readonly budget: number;
  /** Another shard has work and no runner. */
  readonly others: boolean;
  /** Seeds that redirects of the seed led to, found by any shard. */
  readonly seeds: readonly string[] | null;
}

/** `held`: whether the lease is ours; `applied`: false for a repeated checkpoint. */
type CheckpointRow = SavedCheckpoint & { held: boolean; applied: boolean };

/** Where a shard's frontier rows begin. Numbers up to 2^53 stay exact in JavaScript. */
export const shardBits = 44;
export const firstSeq = (shard: number): number => shard * 2 ** shardBits;
/** SQL: the shard of a frontier row. */
export const shardOf = (seq: string) => `(${seq} >> ${shardBits})::smallint`;

/**
 * The location of one row, by its whole key. With a join, a session could keep the plan it made when the table was empty: to scan all
 * rows of the job at every checkpoint.
 */
const frontierRow = (of: string) => `
      SELECT ctid FROM crawl_frontier WHERE job_id = turn.job_id AND host = ${of}.host AND seq = ${of}.seq LIMIT 1`;

/** Optional parts, which cost only the crawls that need them. */
interface CheckpointVariant {
  readonly kept?: { columns: string; values: string; lists: string; names: string };
  /** The parameter with the hashes of retried pages. */
  readonly replaced?: string;
  /** The parameters with the sites whose cookies changed, and their cookies. */
  readonly cookies?: { sites: string; signedIn: string; values: string };
  readonly sharded?: ShardedParts;
}

/**
 * What a checkpoint of a crawl with several shards does besides (ADR 38). `shard` and `ticket` name the runner's shard, `shards` the
 * shard of each found URL; `spent` pages of its budget were fetched, and it wants `want` more.
 */
interface ShardedParts {
  readonly shard: string;
  readonly ticket: string;
  readonly shards: string;
  readonly spent: string;
  readonly want: string;
  readonly limit: string;
}

const wholeCrawl = {
  turn: `
  SELECT state.job_id, state.next_seq, state.next_page_no FROM held JOIN crawl_states state ON state.job_id = held.id
  WHERE state.checkpoint_no = $3::integer - 1
  FOR NO KEY UPDATE OF state`,
  isHeld: '',
  mine: '',
  foundColumns: '',
  seq: 'turn.next_seq',
  host: `
  INSERT INTO crawl_hosts AS known (job_id, host, pending, done, low_seq)
  SELECT turn.job_id, change.host, sum(change.pending), sum(change.pages), max(change.low_seq)
  FROM turn, (
    SELECT host, 1 AS pending, 0 AS pages, 0 AS low_seq FROM added
    UNION ALL SELECT host, -1, 0, 0 FROM done
    UNION ALL SELECT host, 0, pages, low FROM unnest($24::text[], $25::bigint[], $30::integer[]) AS low (host, low, pages)
  ) change
  GROUP BY turn.job_id, change.host
  ON CONFLICT (job_id, host) DO UPDATE SET pending = known.pending + excluded.pending,
    done = known.done + excluded.done, low_seq = greatest(known.low_seq, excluded.low_seq)`,
  numbered: `checkpoint_no = $3, `,
  discovery: 'coalesce($28::jsonb, discovery)',
  inTurn: ' AND state.checkpoint_no = $3::integer - 1',
  shard: '',
  answer: 'NULL::jsonb AS shard',
  from: '',
};

/** A list in what discovery learned, with what $28 adds. */
const united = (list: string) => `(SELECT coalesce(jsonb_agg(DISTINCT item), '[]') FROM jsonb_array_elements(
        coalesce(discovery -> '${list}', '[]') || coalesce($28 -> '${list}', '[]')) AS item)`;

const oneShard = ({ shard, ticket, shards, spent, want, limit }: ShardedParts, replaced?: string) => ({
  isHeld: ` AND EXISTS (
    SELECT FROM crawl_shards WHERE job_id = $1 AND shard = ${shard} AND fence = ${ticket} AND worker_id IS NOT NULL)`,
  mine: `mine AS MATERIALIZED (
  SELECT shard.job_id, shard.checkpoint_no, shard.budget FROM held JOIN crawl_shards shard ON shard.job_id = held.id
  WHERE shard.shard = ${shard}::smallint AND shard.fence = ${ticket}::bigint AND shard.worker_id IS NOT NULL
  FOR NO KEY UPDATE OF shard
),
`,
  // The limit is judged by the locked row: what the statement's snapshot shows may be older than another runner's checkpoint.
  turn: `
  SELECT state.job_id, state.next_seq, state.next_page_no, state.fetched, state.leased, mine.budget FROM mine JOIN crawl_states state ON state.job_id = mine.job_id
  WHERE mine.checkpoint_no = $3::integer - 1
  FOR NO KEY UPDATE OF state`,
  foundColumns: `, (${shards}::smallint[])[position] AS shard`,
  seq: `(found.shard::bigint << ${shardBits}) + turn.next_seq`,
  host: `
  INSERT INTO crawl_shard_hosts AS known (job_id, shard, host, pending, done, low_seq)
  SELECT turn.job_id, change.shard, change.host, sum(change.pending), sum(change.pages), max(change.low_seq)
  FROM turn, (
    SELECT ${shardOf('seq')} AS shard, host, 1 AS pending, 0 AS pages, 0 AS low_seq FROM added
    UNION ALL SELECT ${shardOf('seq')}, host, -1, 0, 0 FROM done
    UNION ALL SELECT ${shard}::smallint, host, 0, pages, low FROM unnest($24::text[], $25::bigint[], $30::integer[]) AS low (host, low, pages)
  ) change
  GROUP BY turn.job_id, change.shard, change.host
  ON CONFLICT (job_id, shard, host) DO UPDATE SET pending = known.pending + excluded.pending,
    done = known.done + excluded.done, low_seq = greatest(known.low_seq, excluded.low_seq)`,
  numbered: 'checkpoint_no = state.checkpoint_no + 1, leased = state.leased + granted.change, ',
  /** What all shards learned is kept; counts of traps only grow. */
  discovery: `CASE WHEN $28::jsonb IS NULL THEN discovery ELSE discovery || $28 || jsonb_build_object(
      'admittedSeeds', ${united('admittedSeeds')}, 'refutedTraps', ${united('refutedTraps')},
      'trapPages', (SELECT coalesce(jsonb_object_agg(key, greatest((discovery -> 'trapPages' ->> key)::bigint, ($28 -> 'trapPages' ->> key)::bigint)), '{}')
        FROM jsonb_object_keys(coalesce(discovery -> 'trapPages', '{}') || coalesce($28 -> 'trapPages', '{}')) AS key)) END`,
  inTurn: '',
  shard: `granted AS MATERIALIZED (
  SELECT turn.job_id, CASE WHEN ${limit}::integer IS NULL THEN 0
    WHEN ${want}::integer < 0 THEN greatest(${want}, ${spent}::integer - turn.budget) - ${spent}
    ELSE greatest(0, least(${want}, ${limit} - turn.fetched - outcome.fetched - turn.leased + ${spent})) - ${spent} END AS change
  FROM turn, outcome
),
shard AS (
  UPDATE crawl_shards known SET pending = known.pending + change.pending, retrying = known.retrying + change.retrying,
    arrivals = known.arrivals + CASE WHEN known.shard = ${shard} THEN 0 ELSE change.added END,
    processed = known.processed + change.processed, updated_at = now(),
    checkpoint_no = CASE WHEN known.shard = ${shard} THEN $3 ELSE known.checkpoint_no END,
    budget = CASE WHEN known.shard = ${shard} THEN known.budget + granted.change ELSE known.budget END,
    lease_expires_at = CASE WHEN known.shard = ${shard} THEN now() + make_interval(secs => held.lease_seconds) ELSE known.lease_expires_at END
  FROM held, granted, (
    SELECT shard, sum(pending) AS pending, sum(added) AS added, sum(retrying) AS retrying, sum(processed) AS processed FROM (
      SELECT ${shardOf('seq')} AS shard, 1 AS pending, 1 AS added, 0 AS retrying, 0 AS processed FROM added
      UNION ALL SELECT ${shardOf('seq')}, -1, 0, 0, 0 FROM done
      UNION ALL SELECT ${shard}::smallint, 0, 0, ${replaced === undefined ? '0' : `-cardinality(${replaced}::uuid[])`},
        (SELECT outcome.fetched + outcome.failed FROM outcome)
    ) row GROUP BY shard
  ) change
  WHERE known.job_id = granted.job_id AND known.shard = change.shard
  RETURNING known.shard, known.pending, known.retrying, known.arrivals, known.budget
),
`,
  answer: `jsonb_build_object('pending', coalesce(shard.pending, own.pending), 'retrying', coalesce(shard.retrying, own.retrying),
    'arrivals', coalesce(shard.arrivals, own.arrivals), 'budget', coalesce(shard.budget, own.budget),
    'others', EXISTS (SELECT FROM crawl_shards other WHERE other.job_id = $1 AND other.shard <> ${shard}
      AND ${hasWork('other', 'state', `${limit}::integer`)}),
    'seeds', state.discovery -> 'admittedSeeds') AS shard`,
  from: ` JOIN mine ON true JOIN crawl_shards own ON own.job_id = held.id AND own.shard = ${shard} LEFT JOIN shard ON shard.shard = ${shard}`,
});

const answerColumns = {
  columns: ', body, answer',
  values: `,
    substring($8 FROM start + coalesce(links, 0) + coalesce(markdown, 0) + coalesce(html, 0) FOR body), answer::jsonb`,
  lists: ', $35::integer[], $36::text[]',
  names: ', body, answer',
};

const countsOf = (pages: string) => `count(*) FILTER (WHERE ${pages}.outcome = 'fetched') AS fetched,
    count(*) FILTER (WHERE ${pages}.outcome = 'failed') AS failed,
    count(*) FILTER (WHERE ${pages}.outcome = 'skipped') AS skipped,
    count(*) FILTER (WHERE ${pages}.outcome = 'redirected') AS redirected,
    count(*) FILTER (WHERE change = 'new') AS new_pages, count(*) FILTER (WHERE change = 'changed') AS changed,
    count(*) FILTER (WHERE change = 'unchanged') AS unchanged, count(*) FILTER (WHERE change = 'gone') AS gone`;

/** Old records are deleted before new ones are inserted: `page` waits for this. */
const replacedText = (hashes: string) => `replaced AS (
  DELETE FROM crawl_pages page USING turn
  WHERE page.job_id = turn.job_id AND page.url_hash = ANY (${hashes}::uuid[]) AND page.outcome IN ('failed', 'skipped', 'redirected')
  RETURNING page.outcome, page.change, page.left_out
),
before AS (
  SELECT ${countsOf('replaced')} FROM replaced
),
`;

/** Adds $27 to the stored counts, minus the counts of replaced records. */
const offScope = (isReplacing: boolean) => {
  const replacedCounts = `
        UNION ALL SELECT key, -value::bigint FROM replaced, jsonb_each_text(replaced.left_out)`;
  return `(
      SELECT coalesce(jsonb_object_agg(key, total) FILTER (WHERE total > 0), '{}') FROM (
        SELECT key, sum(count)::bigint AS total FROM (
        SELECT key, value::bigint AS count FROM jsonb_each_text(state.off_scope)
        UNION ALL SELECT key, value::bigint FROM jsonb_each_text($27::jsonb)${isReplacing ? replacedCounts : ''}) part
        GROUP BY key) sum)`;
};
const cookiesText = ({ sites, signedIn, values }: NonNullable<CheckpointVariant['cookies']>) => `cookies AS (
  INSERT INTO crawl_cookies (job_id, site, signed_in, cookies)
  SELECT turn.job_id, site, signed_in, cookies
  FROM turn, unnest(${sites}::text[], ${signedIn}::boolean[], ${values}::bytea[]) AS changed (site, signed_in, cookies)
  ORDER BY site, signed_in
  ON CONFLICT (job_id, site, signed_in) DO UPDATE SET cookies = excluded.cookies
),
`;

/*
 * One statement, so all or nothing (ADR 6). It locks the job's row under its fence first, and everything else depends on that row
 * (`turn`): a holder that lost its lease writes nothing. A repeated checkpoint finds its number taken and changes nothing; the state is
 * locked too, because the first attempt may commit while the repeated one waits, too late for its snapshot to see.
 */
const checkpointText = ({ kept, replaced, cookies, sharded }: CheckpointVariant = {}) => {
  const part = sharded ? oneShard(sharded, replaced) : wholeCrawl;
  const less = (count: string) => (replaced === undefined ? '' : ` - before.${count}`);
  return `
WITH held AS (
  UPDATE crawl_jobs SET
    last_heartbeat = now(), lease_expires_at = now() + make_interval(secs => lease_seconds),
    progress_percentage = greatest(progress_percentage, least($4::smallint, 99)),
    retry_count = CASE WHEN $5::integer > 0 THEN 0 ELSE retry_count END,
    failed_starts = CASE WHEN $5 > 0 THEN 0 ELSE failed_starts END
  WHERE id = $1 AND fence = $2 AND status::text = 'processing'${part.isHeld}
  RETURNING id, requested_action, lease_seconds
),
${part.mine}turn AS MATERIALIZED (${part.turn}
),
${replaced === undefined ? '' : replacedText(replaced)}page AS (
  INSERT INTO crawl_pages (job_id, page_no, url_hash, kind, outcome, status, depth, attempts, word_count, bytes, fetched_at, parent,
    content_hash, url, reason, message, target_url, canonical_url, content_type, language, etag, last_modified, title,
    description, structured, change, content_job, rendered, render_reason, left_out, proxy, blocked)
  SELECT turn.job_id, turn.next_page_no + row_number() OVER () - 1, url_hash, kind, outcome, status, depth, attempts, word_count, bytes, fetched_at, parent,
    content_hash, url, reason, message, target_url, canonical_url, content_type, language, etag, last_modified, title,
    description, structured, change, content_job, rendered, render_reason, left_out, proxy, blocked
  FROM turn, jsonb_to_recordset($6::jsonb) AS page (
    url_hash uuid, kind frontier_kind, outcome page_outcome, status smallint, depth smallint, attempts smallint, word_count integer,
    bytes integer, fetched_at timestamptz, parent uuid, content_hash uuid, url text, reason text, message text,
    target_url text, canonical_url text, content_type text, language text, etag text, last_modified text, title text,
    description text, structured jsonb, change page_change, content_job uuid,
    rendered boolean, render_reason text, left_out jsonb, proxy text, blocked jsonb)
  ${replaced === undefined ? '' : 'WHERE (SELECT count(*) FROM replaced) IS NOT NULL'}
  ON CONFLICT DO NOTHING
  RETURNING outcome, depth, change
),
content AS (
  INSERT INTO crawl_page_contents (job_id, url_hash, links, markdown, html${kept?.columns ?? ''})
  SELECT turn.job_id, url_hash, substring($8::bytea FROM start FOR links),
    substring($8 FROM start + coalesce(links, 0) FOR markdown),
    substring($8 FROM start + coalesce(links, 0) + coalesce(markdown, 0) FOR html)${kept?.values ?? ''}
  FROM turn, unnest($7::uuid[], $9::integer[], $10::integer[], $31::integer[], $32::integer[]${kept?.lists ?? ''})
    AS content (url_hash, start, links, markdown, html${kept?.names ?? ''})
  ON CONFLICT DO NOTHING
),
found AS (
  SELECT *${part.foundColumns} FROM unnest($11::text[], $12::text[], $13::uuid[], $14::frontier_kind[], $15::smallint[], $16::smallint[],
    $17::uuid[]) WITH ORDINALITY AS found (host, url, url_hash, kind, depth, redirects, parent, position)
),
visited AS (
  INSERT INTO crawl_visited (job_id, url_hash)
  SELECT turn.job_id, found.url_hash FROM turn, found ORDER BY found.url_hash
  ON CONFLICT DO NOTHING
  RETURNING url_hash
),
added AS (
  INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, kind, depth, redirects, parent)
  SELECT turn.job_id, host, ${part.seq} + row_number() OVER (ORDER BY position) - 1, url_hash, url, kind, depth,
    redirects, parent
  FROM turn, found JOIN visited USING (url_hash)
  RETURNING host, seq
),
done AS (
  DELETE FROM crawl_frontier WHERE ${ofThisJob('job_id')} AND ctid = ANY (ARRAY(
    SELECT row.ctid FROM turn, unnest($18::text[], $19::bigint[]) AS done (host, seq)
    CROSS JOIN LATERAL (${frontierRow('done')}) row))
  RETURNING host, seq
),
postponed AS (
  UPDATE crawl_frontier frontier SET attempts = postponed.attempts, refusals = postponed.refusals,
    not_before = now() + make_interval(secs => postponed.wait), failure = postponed.failure::jsonb
  FROM turn, unnest($20::text[], $21::bigint[], $22::smallint[], $23::float8[], $33::smallint[], $34::text[])
    AS postponed (host, seq, attempts, wait, refusals, failure)
  CROSS JOIN LATERAL (${frontierRow('postponed')}) row
  WHERE ${ofThisJob('frontier.job_id')} AND frontier.ctid = row.ctid
),
host AS (${part.host}
),
${cookies === undefined ? '' : cookiesText(cookies)}outcome AS (
  SELECT ${countsOf('page')}, coalesce(max(depth), 0) AS depth FROM page
),
${part.shard}saved AS (
  UPDATE crawl_states state SET
    ${part.numbered}updated_at = now(),
    total_pending = total_pending + (SELECT count(*) FROM added) - (SELECT count(*) FROM done),
    total_processed = total_processed + outcome.fetched + outcome.failed${less('failed')},
    fetched = state.fetched + outcome.fetched, failed = state.failed + outcome.failed${less('failed')},
    skipped = state.skipped + outcome.skipped${less('skipped')}, redirected = state.redirected + outcome.redirected${less('redirected')},
    new_pages = state.new_pages + outcome.new_pages${less('new_pages')}, changed = state.changed + outcome.changed${less('changed')},
    unchanged = state.unchanged + outcome.unchanged${less('unchanged')}, gone = state.gone + outcome.gone${less('gone')},
    ${replaced === undefined ? '' : `retrying = state.retrying - cardinality(${replaced}::uuid[]),`}
    bytes = state.bytes + $29::bigint, current_depth = greatest(current_depth, outcome.depth),
    next_seq = state.next_seq + (SELECT count(*) FROM added),
    next_page_no = state.next_page_no + jsonb_array_length($6::jsonb), current_url = coalesce($26, current_url),
    off_scope = ${replaced === undefined ? `CASE WHEN $27::jsonb = '{}' THEN off_scope ELSE ${offScope(false)} END` : offScope(true)},
    discovery = ${part.discovery}
  FROM turn, outcome${replaced === undefined ? '' : ', before'}${sharded ? ', granted' : ''}
  WHERE state.job_id = turn.job_id${part.inTurn}
  RETURNING state.total_pending, state.total_processed, state.fetched, state.retrying
)
SELECT held.requested_action, true AS held, turn.job_id IS NOT NULL AS applied,
  coalesce(saved.total_pending, state.total_pending) AS total_pending,
  coalesce(saved.total_processed, state.total_processed) AS total_processed,
  coalesce(saved.fetched, state.fetched) AS fetched, coalesce(saved.retrying, state.retrying) AS retrying,
  (SELECT count(*) FROM added) AS added, ${part.answer}
FROM held${part.from} JOIN crawl_states state ON state.job_id = held.id LEFT JOIN turn ON true LEFT JOIN saved ON true`;
};

/** Which of the parts a checkpoint needs. */
export interface CheckpointParts {
  readonly isKeeping: boolean;
  readonly isReplacing: boolean;
  readonly hasCookies: boolean;
  readonly isSharded: boolean;
}

/** Parameters that every checkpoint has; those of the parts follow in the order of CheckpointParts. */
const commonParameters = 34;

const statements = Array.from({ length: 16 }, (_, parts) => {
  const [isKeeping, isReplacing, hasCookies, isSharded] = [parts & 1, parts & 2, parts & 4, parts & 8];
  let last = commonParameters + (isKeeping ? 2 : 0);
  const next = () => `$${++last}`;
  return statement<CheckpointRow>(
    `checkpoint${isReplacing ? '-replacing' : ''}${isKeeping ? '-keeping-answers' : ''}${hasCookies ? '-with-cookies' : ''}${isSharded ? '-of-shard' : ''}`,
    checkpointText({
      ...(isKeeping && { kept: answerColumns }),
      ...(isReplacing && { replaced: next() }),
      ...(hasCookies && { cookies: { sites: next(), signedIn: next(), values: next() } }),
      ...(isSharded && {
        sharded: {
          shard: next(),
          ticket: next(),
          shards: next(),
          spent: next(),
          want: next(),
          limit: next(),
        },
      }),
    }),
  );
});

type Repeated = Omit<SavedCheckpoint, 'requested_action' | 'added'>;

/** The state after a checkpoint that was applied before. */
export const repeatedStatement = statement<Repeated>(
  'checkpoint-repeated',
  `SELECT total_pending, total_processed, fetched, retrying, NULL::jsonb AS shard FROM crawl_states
   WHERE job_id = $1 AND checkpoint_no = $2`,
);
export const repeatedOfShardStatement = statement<Repeated>(
  'checkpoint-repeated-of-shard',
  `SELECT total_pending, total_processed, fetched, state.retrying, jsonb_build_object('pending', own.pending,
     'retrying', own.retrying, 'arrivals', arrivals, 'budget', budget, 'others', false, 'seeds', discovery -> 'admittedSeeds') AS shard
   FROM crawl_shards own JOIN crawl_states state USING (job_id)
   WHERE job_id = $1 AND own.checkpoint_no = $2 AND own.fence = $3 AND own.worker_id IS NOT NULL`,
);

/** The cheapest statement that can save a checkpoint. */
export function checkpointStatementFor({ isKeeping, isReplacing, hasCookies, isSharded }: CheckpointParts) {
  const parts = (isKeeping ? 1 : 0) + (isReplacing ? 2 : 0) + (hasCookies ? 4 : 0) + (isSharded ? 8 : 0);
  return statements[parts] as Statement<CheckpointRow>;
}
