import { statement } from '../../base/database/statement.ts';
import { botLeaseSeconds } from '../../queue/jobs/lane.ts';

/** A job as a bot gets it. Stored as JSON with the pull's idempotency key, so the time is text. */
export interface PulledJob {
  readonly id: string;
  readonly fence: number;
  readonly url: string;
  readonly priority: number;
  readonly max_retries: number;
  readonly retry_count: number;
  readonly timeout_seconds: number | null;
  readonly lease_expires_at: string;
}

export interface ClaimedForBot {
  readonly jobs: PulledJob[];
  /** Matching jobs that others hold, counted up to `maxSkipped`. */
  readonly skipped: number;
}

const maxSkipped = 1000;

/*
 * Like the supervisors' claim, plus what only bots need: owner, domains, blocked hosts, and an answer that can be repeated.
 * $1 bot, $2 its owner, $3 how many, $4 the bot's lock TTL, $5 blocked hosts, $6 whether to check each host with a port,
 * $7 idempotency key. The transaction has already locked the bot's row.
 *
 * Blocked hosts are excluded by a subquery, which becomes a hash: comparing a thousand hosts with a hundred thousand jobs one by
 * one would take seconds.
 */
const open = `(coalesce(host, '') NOT IN (SELECT unnest($5::text[]))
      AND NOT ($6 AND host LIKE '%:%' AND NOT host_is_open(host)))`;
const ready = `status = 'pending' AND run_at IS NULL AND executor = 'bot'`;
const waiting = `status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
      AND kind = 'visit' AND executor = 'bot'`;

/** SQL: steps from priority to priority, so that jobs that are not due are never read. */
const due = (matching: string) => `
waiting_priority (priority) AS (
  (SELECT priority FROM crawl_jobs WHERE ${waiting} ORDER BY priority DESC LIMIT 1)
  UNION ALL
  SELECT next.priority FROM waiting_priority above CROSS JOIN LATERAL (
    SELECT priority FROM crawl_jobs WHERE ${waiting} AND priority < above.priority ORDER BY priority DESC LIMIT 1
  ) next
),
due AS MATERIALIZED (
  SELECT job.* FROM waiting_priority CROSS JOIN LATERAL (
    SELECT ctid, id, status, priority, created_at FROM crawl_jobs
    WHERE ${waiting} AND priority = waiting_priority.priority AND coalesce(next_retry_at, run_at) <= now()
      AND ${matching} AND ${open}
    ORDER BY coalesce(next_retry_at, run_at)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  ) job
  LIMIT $3
)`;

const leaseSeconds = `coalesce(job.lock_ttl_seconds, $4, job.timeout_seconds, ${botLeaseSeconds})`;

/** `start` finds the ready jobs; `matching` is the condition for a job to concern this bot. */
const claim = (name: string, start: string, matching: string) =>
  statement<ClaimedForBot>(
    name,
    `
WITH RECURSIVE ${start},
${due(matching)},
picked AS MATERIALIZED (
  SELECT ctid, id, status FROM (SELECT * FROM ready UNION ALL SELECT * FROM due) candidate
  ORDER BY priority DESC, created_at LIMIT $3
),
claimed AS (
  UPDATE crawl_jobs job SET
    status = 'processing', fence = fence + 1, worker_id = $1, started_at = now(), last_heartbeat = now(),
    lease_seconds = ${leaseSeconds}, lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
    next_retry_at = NULL, event_count = event_count + 1
  WHERE job.ctid = ANY (ARRAY(SELECT ctid FROM picked))
  RETURNING job.id, job.fence, job.payload ->> 'url' AS url, job.priority, job.max_retries, job.retry_count,
    job.timeout_seconds, job.lease_expires_at, job.created_at, job.event_count
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
  SELECT id, event_count, 'claim', picked.status, 'processing', fence, 'bot:' || $1 FROM claimed JOIN picked USING (id)
),
skipped AS MATERIALIZED (
  SELECT count(*)::integer AS count FROM (
    SELECT FROM crawl_jobs
    WHERE status = 'processing' AND executor = 'bot' AND worker_id <> $1 AND ${matching}
    LIMIT ${maxSkipped}
  ) other
),
answer AS MATERIALIZED (
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'fence', fence, 'url', url, 'priority', priority,
      'max_retries', max_retries, 'retry_count', retry_count, 'timeout_seconds', timeout_seconds,
      'lease_expires_at', lease_expires_at) ORDER BY priority DESC, created_at), '[]') AS jobs, count(*) AS count
  FROM claimed
),
counted AS (
  UPDATE bots SET jobs_pulled = jobs_pulled + answer.count FROM answer
  WHERE user_id = $2 AND bot_id = $1 AND answer.count > 0
),
hour AS (
  INSERT INTO bot_hours AS hour (user_id, bot_id, hour, pulls, jobs_pulled)
  SELECT $2, $1, date_trunc('hour', now()), 1, count FROM answer
  ON CONFLICT (user_id, bot_id, hour) DO UPDATE SET
    pulls = hour.pulls + 1, jobs_pulled = hour.jobs_pulled + excluded.jobs_pulled
),
kept AS (
  INSERT INTO bot_pulls (user_id, bot_id, idempotency_key, jobs, skipped)
  SELECT $2, $1, $7, jobs, skipped.count FROM answer, skipped WHERE $7::text IS NOT NULL
)
SELECT jobs, skipped.count AS skipped FROM answer, skipped`,
  );

const readyOf = (matching: string) => `
ready AS MATERIALIZED (
  SELECT ctid, id, status, priority, created_at FROM crawl_jobs
  WHERE ${ready} AND ${matching} AND ${open}
  ORDER BY priority DESC, created_at
  LIMIT $3 FOR UPDATE SKIP LOCKED
)`;

/** Without `kind`, so that the planner cannot take the index of all owners' jobs and read those of others. */
export const claimOwnStatement = claim('claim-for-bot', readyOf('user_id = $2'), 'user_id = $2');

export const claimAnyStatement = claim('claim-for-any-bot', readyOf(`kind = 'visit'`), `kind = 'visit'`);

/** Most hosts read for the domains of a pull, and spare jobs in case others claim some at the same moment. */
const maxHosts = 1000;
const margin = 200;
/** Jobs read per host: as many as wanted, plus its share of the margin. */
const perHost = `$3 + ceil(${margin}.0 / (SELECT count(*) FROM place))::integer`;

/*
 * $8 keys of the domains, $9 their ports, $10 whether jobs of every owner count. Skips from host to host (and owner to owner) within
 * each domain and reads the first jobs of each. Only the chosen jobs are locked; locking the first jobs of every host would keep
 * them from other bots.
 */
const inDomains = `EXISTS (SELECT FROM asked WHERE (domain_key(host) = asked.key OR starts_with(domain_key(host), asked.key || '.'))
    AND (asked.port = '' OR right(host, length(asked.port)) = asked.port)) AND ($10 OR user_id = $2)`;
const key = 'domain_key(host) COLLATE "C"';
export const claimInDomainsStatement = claim(
  'claim-for-bot-in-domains',
  `
asked AS MATERIALIZED (
  SELECT * FROM unnest($8::text[], $9::text[]) AS asked (key, port)
),
place (domain, port, key, user_id, no) AS (
  SELECT asked.key, asked.port, first.key, first.user_id, 1 FROM asked CROSS JOIN LATERAL (
    SELECT ${key} AS key, user_id FROM crawl_jobs
    WHERE ${ready} AND ${key} >= asked.key AND ${key} < asked.key || '/'
    ORDER BY ${key}, user_id LIMIT 1
  ) first
  UNION ALL
  SELECT place.domain, place.port, next.key, next.user_id, place.no + 1 FROM place CROSS JOIN LATERAL (
    SELECT ${key} AS key, user_id FROM crawl_jobs
    WHERE ${ready} AND (${key}, user_id) > (place.key, place.user_id) AND ${key} < place.domain || '/'
    ORDER BY ${key}, user_id LIMIT 1
  ) next
  WHERE place.no < ${maxHosts}
),
candidate AS MATERIALIZED (
  SELECT job.* FROM (
    SELECT DISTINCT key, user_id, port FROM place
    WHERE (key = domain OR starts_with(key, domain || '.')) AND ($10 OR user_id = $2)
  ) place CROSS JOIN LATERAL (
    SELECT id, priority, created_at FROM crawl_jobs
    WHERE ${ready} AND ${key} = place.key AND user_id = place.user_id
      AND (place.port = '' OR right(host, length(place.port)) = place.port) AND ${open}
    ORDER BY priority DESC, created_at
    LIMIT ${perHost}
  ) job
  ORDER BY priority DESC, created_at LIMIT $3 + ${margin}
),
ready AS MATERIALIZED (
  SELECT ctid, id, status, priority, created_at FROM crawl_jobs
  WHERE id = ANY (ARRAY(SELECT id FROM candidate)) AND status::text = 'pending' AND run_at IS NULL
  ORDER BY priority DESC, created_at
  LIMIT $3 FOR UPDATE SKIP LOCKED
)`,
  inDomains,
);
