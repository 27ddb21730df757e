import type { Pool, QueryConfig } from 'pg';
import { fillDepths } from './fill-depths.ts';

export interface ListSizes {
  readonly jobs: number;
  readonly pages: number;
}

export interface Filled {
  /** The crawl with the most pages. */
  readonly crawl: string;
  readonly visitUrl: string;
  readonly intake: string;
  /** With a delivery for each job. */
  readonly webhook: string;
}

type Run = (text: string, values?: unknown[]) => Promise<{ rows: { id: string }[] }>;

const crawls = 50;

/**
 * As many jobs and pages as given, and of everything else in proportion, as a year of use would leave them: enough that the
 * small database fills a page of nearly every list, or the large one would be asked for more rows.
 */
export async function fillLists(pool: Pool, { jobs, pages }: ListSizes): Promise<Filled> {
  await fillDepths(pool, { finished: Math.floor(jobs * 0.8), waiting: Math.floor(jobs * 0.2) - crawls });
  const client = await pool.connect();
  const run = (text: string, values: unknown[] = []) =>
    client.query({ text, values, query_timeout: 2 ** 31 - 1 } as QueryConfig);
  try {
    await run('BEGIN');
    await run('SET LOCAL statement_timeout = 0');
    const { rows } = await run(
      `INSERT INTO crawl_jobs (kind, status, fence, event_count, started_at, completed_at, worker_id, progress_percentage,
         lease_seconds, payload)
       SELECT 'crawl', 'completed', 1, 3, now() - interval '1 h', now() - interval '1 min', 'bench', 100, 120,
         jsonb_build_object('url', 'https://site-' || number || '.example/')
       FROM generate_series(1, $1::int) AS number RETURNING id`,
      [crawls],
    );
    // Half of all pages in one crawl, the rest evenly.
    for (const [index, { id }] of rows.entries()) {
      const count = index === 0 ? pages / 2 : Math.floor(pages / 2 / (crawls - 1));
      await run(
        `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, word_count, bytes, fetched_at,
           url, reason, content_type, language, title, description)
         SELECT $1, md5(number::text)::uuid, number, outcome, CASE outcome WHEN 'fetched' THEN 200 ELSE 404 END,
           least(number % 9, 8), 1, 300, 15000, now() - interval '1 h', 'https://site.example/page/' || number,
           CASE outcome WHEN 'failed' THEN 'http_404' END, 'text/html', 'en', 'Page ' || number, 'What page ' || number || ' tells'
         FROM (SELECT number, (CASE WHEN number % 50 = 0 THEN 'failed' ELSE 'fetched' END)::page_outcome AS outcome
           FROM generate_series(1, $2::int) AS number) page`,
        [id, Math.max(1, count)],
      );
      await run(
        `INSERT INTO crawl_states (job_id, total_processed, fetched, failed)
         SELECT job_id, count(*), count(*) FILTER (WHERE outcome = 'fetched'), count(*) FILTER (WHERE outcome = 'failed')
         FROM crawl_pages WHERE job_id = $1 GROUP BY job_id`,
        [id],
      );
    }
    await run(
      `INSERT INTO crawl_results (id, job_id, user_id, url, price, currency, title, in_stock, actor, crawled_at)
       SELECT id, id, 'local', payload ->> 'url', (random() * 100)::numeric(10, 2), (ARRAY['EUR', 'USD', 'JPY'])[1 + floor(random() * 3)],
         'Something', random() < 0.8, 'bot:bot-1', completed_at
       FROM crawl_jobs WHERE kind = 'visit' AND status = 'completed'`,
    );
    await run(
      `INSERT INTO crawl_policies (kind, url, frequency_hours, next_run_at, timeout_minutes, enabled, failure_count)
       SELECT 'visit', 'https://shop.example/item/' || number, 24, now() + number * interval '1 min', 10, number % 2 > 0, number % 7
       FROM generate_series(1, $1::int) AS number`,
      [jobs / 10],
    );
    await run(
      `INSERT INTO sources (id, name, hosts) SELECT 'host:h' || number || '.example', 'h' || number || '.example', ARRAY['h' || number || '.example']
       FROM generate_series(1, $1::int) AS number`,
      [jobs / 10],
    );
    await run(
      `INSERT INTO sources (id, name, hosts, configured, enabled)
       SELECT 'shop-' || number, 'Shop ' || number, ARRAY['shop' || number || '.example'], true, number % 2 > 0
       FROM generate_series(1, 100) AS number`,
    );
    const intake = await fillIntakes(run, jobs / 10);
    await run(
      `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, running_jobs)
       SELECT 'worker-' || number, 'host-' || number, 'b', number, 's', '1', 8, 3 FROM generate_series(1, 200) AS number`,
    );
    await run(
      `INSERT INTO bots (bot_id, user_id, last_seen_at, pulls, jobs_pulled, jobs_succeeded)
       SELECT 'bot-' || number, 'local', now(), number, number, number FROM generate_series(1, 200) AS number`,
    );
    const webhook = await fillDeliveries(run, jobs);
    await run('COMMIT');
    await run('VACUUM ANALYZE');
    return { crawl: rows[0]?.id, visitUrl: 'https://example.com/old/17', intake, webhook };
  } finally {
    client.release(true);
  }
}

/** Of which the oldest tenth waits still, behind all that was delivered, and another is dead; the webhook is returned. */
async function fillDeliveries(run: Run, count: number): Promise<string> {
  const { rows } = await run(
    `INSERT INTO webhooks (url, events, secret) VALUES ('https://hook.example/', '{job.completed}', 'whsec_eA==') RETURNING id`,
  );
  const webhook = rows[0]?.id;
  if (webhook === undefined) throw new Error('no webhook was made');
  await run(
    `INSERT INTO webhook_deliveries (id, webhook_id, event, payload, status, attempts)
     SELECT overlay(gen_random_uuid()::text PLACING lpad(to_hex(number), 8, '0') FROM 1 FOR 8)::uuid, $1, 'job.completed',
       '{"type": "job.completed"}',
       (CASE WHEN number <= $2 / 10 THEN 'pending' WHEN number % 9 = 0 THEN 'dead' ELSE 'delivered' END)::webhook_delivery_status, 1
     FROM generate_series(1, $2::int) AS number`,
    [webhook, count],
  );
  return webhook;
}

/** Of which half are valued, from four prices each, and every one was asked for; the oldest is returned. */
async function fillIntakes(run: Run, count: number): Promise<string> {
  const { rows } = await run(
    `INSERT INTO intakes (title, reference, attributes, tags)
     SELECT 'Half dollar ' || number, 'no-' || number, jsonb_build_object('year', 1800 + number % 200),
       ARRAY['coins', 'box-' || number % 500]
     FROM generate_series(1, $1::int) AS number RETURNING id`,
    [count],
  );
  await run(
    `INSERT INTO price_points (intake_id, source_id, dedupe_key, price, currency, price_type, match_strength, actor)
     SELECT id, 'shop-' || 1 + number, 'ext_' || number, 20 + number, 'USD', 'sold', 0.9, 'bench'
     FROM intakes CROSS JOIN generate_series(1, 4) AS number`,
  );
  await run(
    `INSERT INTO valuations (intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources, sold, ask,
       outliers, other_currencies, not_used, confidence, reasons)
     SELECT id, 'USD', 21, 21, 22, 22.5, 23, 24, 24, 22.5, 4, 4, 4, 0, 0, 0, 0, 1 + number % 10, '[]'
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM intakes) intake WHERE number % 2 > 0`,
  );
  await run(
    `INSERT INTO crawl_jobs (kind, status, fence, event_count, started_at, completed_at, worker_id, progress_percentage,
       lease_seconds, source_id, intake_id, payload)
     SELECT 'collect', 'completed', 1, 3, now(), now(), 'bench', 100, 300, 'shop-1', id, jsonb_build_object('intake_id', id)
     FROM intakes`,
  );
  const oldest = rows.map(({ id }) => id).sort()[0];
  if (oldest === undefined) throw new Error('no intake was made');
  return oldest;
}
