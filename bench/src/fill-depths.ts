import type { Pool, QueryConfig } from 'pg';

/** An id of the moment, as uuid_v7() makes it of the present one. */
const idOf = `
  CREATE FUNCTION pg_temp.id_of(moment timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM moment) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid $$`;

/** Finished over the last thirty days, most of them completed, each with its three events. */
const finished = `
  INSERT INTO crawl_jobs (id, kind, status, fence, event_count, created_at, started_at, last_heartbeat, completed_at,
    lease_seconds, worker_id, progress_percentage, error_code, error_message, payload)
  SELECT pg_temp.id_of(created), 'visit', status, 1, 3, created, created + '1 s', created + '1 s', created + '2 s',
    120, 'bench', CASE status WHEN 'completed' THEN 100 ELSE 0 END,
    CASE status WHEN 'failed' THEN 'fetch_failed' END, CASE status WHEN 'failed' THEN 'connection reset' END,
    jsonb_build_object('url', 'https://example.com/old/' || number)
  FROM (
    SELECT number, now() - (($1 - number) * interval '30 days') / $1 - interval '1 hour' AS created,
      (CASE number % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'completed' END)::job_status AS status
    FROM generate_series(1, $1::int) AS number
  ) job ORDER BY number`;

const finishedEvents = `
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, at, actor)
  SELECT id, event_no,
    CASE event_no WHEN 1 THEN 'enqueue' WHEN 2 THEN 'claim' ELSE
      CASE status WHEN 'failed' THEN 'fail' WHEN 'cancelled' THEN 'cancel' ELSE 'complete' END END::job_transition,
    CASE event_no WHEN 2 THEN 'pending' WHEN 3 THEN 'processing' END::job_status,
    CASE event_no WHEN 1 THEN 'pending' WHEN 2 THEN 'processing' ELSE status END,
    least(event_no - 1, 1), created_at + (event_no - 1) * interval '1 s', 'supervisor:bench'
  FROM crawl_jobs CROSS JOIN generate_series(1, 3) AS event_no ORDER BY id, event_no`;

/** Half of them for a time in the future, half for their next try; of several priorities. */
const waiting = `
  INSERT INTO crawl_jobs (id, event_count, kind, status, priority, created_at, run_at, next_retry_at, retry_count, payload)
  SELECT pg_temp.id_of(created), 1, 'visit', (CASE WHEN retried THEN 'retryable' ELSE 'pending' END)::job_status,
    number % 5, created, CASE WHEN NOT retried THEN due END, CASE WHEN retried THEN due END, retried::int,
    jsonb_build_object('url', 'https://example.com/later/' || number)
  FROM (
    SELECT number, number % 2 = 0 AS retried, now() - interval '1 hour' + number * interval '10 ms' AS created,
      now() + interval '1 day' + number * interval '1 s' AS due
    FROM generate_series(1, $1::int) AS number
  ) job ORDER BY number`;

/** Fills an empty table with jobs that no claim is to take. */
export async function fillDepths(pool: Pool, depths: { finished: number; waiting: number }): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL statement_timeout = 0');
    await client.query(idOf);
    await unhurried(finished, [depths.finished]);
    await unhurried(finishedEvents);
    await unhurried(waiting, [depths.waiting]);
    await client.query('COMMIT');
  } finally {
    client.release(true);
  }

  /** Without the pool's own limit on the time of a query. */
  function unhurried(text: string, values: unknown[] = []) {
    return client.query({ text, values, query_timeout: 2 ** 31 - 1 } as QueryConfig);
  }
}
