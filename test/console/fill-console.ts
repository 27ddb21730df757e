import { deflateRawSync } from 'node:zlib';
import type pg from 'pg';
import { valueIntake } from '../../packages/server/src/collect/value-intake.ts';

const words = 'anchor beacon chart compass current fog harbour hull keel lantern mast pilot quay'.split(' ');

export interface Filled {
  /** A finished recrawl of which one page changed. */
  readonly crawl: string;
  readonly changedPage: string;
  readonly running: string;
  readonly failed: string;
  readonly visit: string;
  readonly result: string;
  readonly policy: string;
  readonly bot: string;
  readonly intake: string;
  readonly collect: string;
}

/** Something of everything that the console shows, as after a morning's work. */
export async function fillConsole(db: pg.Pool): Promise<Filled> {
  const one = async <Value>(sql: string, values: unknown[] = []): Promise<Value> =>
    Object.values((await db.query(sql, values)).rows[0] ?? {})[0] as Value;

  await db.query(`
    INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, running_jobs, last_seen, started_at)
    VALUES ('crawl-eu-1', 'eu-1.internal', 'b', 4242, 's', '0.2.0', 8, 5, now() + interval '1 day', now() - interval '3 days'),
      ('crawl-eu-2', 'eu-2.internal', 'b', 4243, 's', '0.2.0', 8, 0, now() - interval '7 min', now() - interval '2 days')`);
  await db.query(`
    INSERT INTO sources (id, name, hosts, configured, rate_limit_per_minute, concurrency, min_delay_ms, failure_streak,
      last_success_at, last_failure_at, paused_until, pause_reason)
    VALUES ('books', 'Bookshops', '{books.example,*.books.example}', true, 60, 4, 250, 0, now() - interval '1 min', NULL, NULL, NULL),
      ('host:shop.example', 'shop.example', '{shop.example}', false, NULL, 8, 0, 6, now() - interval '1 h', now() - interval '1 min',
        now() + interval '10 min', 'failures'),
      ('host:slow.example', 'slow.example', '{slow.example}', false, NULL, 8, 1000, 0, now() - interval '1 h', NULL, 'infinity', 'operator')`);
  const policy = await one<string>(`
    INSERT INTO crawl_policies (kind, url, executor, frequency_hours, priority, next_run_at, timeout_minutes)
    VALUES ('visit', 'https://shop.example/products/lantern-4711', 'bot', 6, 10, now() + interval '150 min', 10) RETURNING id`);
  await db.query(`
    INSERT INTO crawl_policies (kind, url, executor, frequency_hours, priority, next_run_at, enabled, failure_count, timeout_minutes)
    VALUES ('crawl', 'https://docs.example/', 'builtin', 24, 0, now() + interval '5 h', true, 0, NULL),
      ('visit', 'https://books.example/the-old-man-and-the-sea', 'builtin', 0.5, 1, now() + interval '20 min', true, 3, 10),
      ('crawl', 'https://archive.example/', 'builtin', 168, -5, now() + interval '3 days', false, 0, NULL)`);

  const job = (fields: Record<string, unknown>) =>
    one<string>(
      `INSERT INTO crawl_jobs (kind, executor, status, priority, progress_percentage, retry_count, payload, started_at,
         last_heartbeat, lease_expires_at, completed_at, next_retry_at, lease_seconds, worker_id, error_code, error_message,
         policy_id, fence, created_at)
       SELECT coalesce(kind, 'crawl'), coalesce(executor, 'builtin'), coalesce(status, 'pending'), coalesce(priority, 0),
         coalesce(progress_percentage, 0), coalesce(retry_count, 0), payload, started_at, last_heartbeat, lease_expires_at,
         completed_at, next_retry_at, lease_seconds, worker_id, error_code, error_message, policy_id, coalesce(fence, 0),
         coalesce(created_at, now())
       FROM jsonb_populate_record(NULL::crawl_jobs, $1) RETURNING id`,
      [JSON.stringify(fields)],
    );
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const crawlOf = (url: string) => ({ kind: 'crawl', payload: { url } });

  const before = await job({
    ...crawlOf('https://docs.example/'),
    status: 'completed',
    progress_percentage: 100,
    started_at: ago(1500),
    completed_at: ago(1490),
    created_at: ago(1501),
  });
  const crawl = await job({
    ...crawlOf('https://docs.example/'),
    status: 'completed',
    progress_percentage: 100,
    started_at: ago(50),
    completed_at: ago(42),
    created_at: ago(51),
    fence: 1,
  });
  const running = await job({
    ...crawlOf('https://books.example/'),
    status: 'processing',
    progress_percentage: 37,
    started_at: ago(6),
    last_heartbeat: ago(0),
    lease_expires_at: ago(-60),
    lease_seconds: 60,
    worker_id: 'crawl-eu-1',
    fence: 3,
    priority: 5,
    created_at: ago(9),
  });
  const failed = await job({
    ...crawlOf('https://gone.example/'),
    status: 'failed',
    retry_count: 3,
    started_at: ago(30),
    completed_at: ago(12),
    error_code: 'host_unreachable',
    error_message: 'gone.example does not answer',
    fence: 4,
    created_at: ago(33),
  });
  const visit = await job({
    kind: 'visit',
    executor: 'bot',
    payload: { url: 'https://shop.example/products/lantern-4711' },
    status: 'completed',
    progress_percentage: 100,
    started_at: ago(21),
    completed_at: ago(20),
    policy_id: policy,
    priority: 10,
    fence: 1,
    created_at: ago(25),
  });
  await job({
    ...crawlOf('https://stuck.example/'),
    status: 'processing',
    progress_percentage: 80,
    started_at: ago(25),
    last_heartbeat: ago(4),
    lease_expires_at: ago(3),
    lease_seconds: 60,
    worker_id: 'crawl-eu-2',
    fence: 1,
    created_at: ago(26),
  });
  await job({
    ...crawlOf('https://again.example/'),
    status: 'retryable',
    retry_count: 2,
    next_retry_at: ago(-15),
    error_code: 'source_paused',
    error_message: 'again.example asked to come later',
    fence: 2,
    created_at: ago(40),
  });
  await job({
    ...crawlOf('https://paused.example/'),
    status: 'paused',
    progress_percentage: 12,
    created_at: ago(70),
  });
  await job({
    ...crawlOf('https://wrong.example/'),
    status: 'cancelled',
    completed_at: ago(55),
    created_at: ago(60),
  });
  await job({
    kind: 'visit',
    executor: 'bot',
    payload: { url: 'https://shop.example/products/rope-12' },
    status: 'expired',
    completed_at: ago(44),
    error_code: 'lease_expired',
    error_message: 'the bot did not submit in time',
    created_at: ago(61),
  });
  for (let n = 0; n < 12; n++)
    await job({
      kind: 'visit',
      executor: 'bot',
      payload: { url: `https://shop.example/products/${words[n]}-${n + 100}` },
      priority: n % 3,
      created_at: ago(n),
      retry_count: n % 4,
    });

  await fillEvents(db, { crawl, running, failed });
  await fillPages(db, { before, crawl, running });
  await fillBots(db);
  const result = await fillResults(db, visit, policy);
  const { intake, collect } = await fillIntakes(db);
  const changedPage = await one<string>(
    `SELECT url_hash FROM crawl_pages WHERE job_id = $1 AND change = 'changed' LIMIT 1`,
    [crawl],
  );
  return { crawl, changedPage, running, failed, visit, result, policy, bot: 'bot-001', intake, collect };
}

async function fillEvents(db: pg.Pool, { crawl, running, failed }: Record<string, string>): Promise<void> {
  const event = (
    job: string | undefined,
    no: number,
    transition: string,
    from: string | null,
    to: string,
    minutes: number,
    actor: string,
    reason: string | null = null,
  ) =>
    db.query(
      `INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, at, actor, reason)
       VALUES ($1, $2, $3, $4, $5, $2 / 2, now() - make_interval(mins => $6), $7, $8)`,
      [job, no, transition, from, to, minutes, actor, reason],
    );
  await event(crawl, 1, 'enqueue', null, 'pending', 51, 'key:admin');
  await event(crawl, 2, 'claim', 'pending', 'processing', 50, 'supervisor:crawl-eu-1');
  await event(crawl, 3, 'complete', 'processing', 'completed', 42, 'supervisor:crawl-eu-1');
  await event(running, 1, 'enqueue', null, 'pending', 9, 'key:admin');
  await event(running, 2, 'claim', 'pending', 'processing', 8, 'supervisor:crawl-eu-2');
  await event(
    running,
    3,
    'crash',
    'processing',
    'pending',
    7,
    'supervisor:crawl-eu-2',
    'runner_crashed: SIGKILL',
  );
  await event(running, 4, 'claim', 'pending', 'processing', 6, 'supervisor:crawl-eu-1');
  await event(failed, 1, 'enqueue', null, 'pending', 33, 'key:admin');
  await event(failed, 2, 'claim', 'pending', 'processing', 30, 'supervisor:crawl-eu-1');
  await event(
    failed,
    3,
    'retryLater',
    'processing',
    'failed',
    12,
    'supervisor:crawl-eu-1',
    'host_unreachable: gone.example does not answer',
  );
  // What the last hour looked like, on jobs that are pruned by now.
  await db.query(`
    INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, at, actor)
    SELECT uuid_v7(), n, kind.transition::job_transition, kind.from_status::job_status, kind.to_status::job_status, 1,
      date_trunc('minute', now()) - make_interval(mins => minute), 'supervisor:crawl-eu-1'
    FROM generate_series(1, 59) AS minute
    CROSS JOIN (VALUES ('complete', 'processing', 'completed', 14), ('retryLater', 'processing', 'retryable', 3),
      ('fail', 'processing', 'failed', 1), ('enqueue', NULL, 'pending', 15)) AS kind (transition, from_status, to_status, rate)
    CROSS JOIN LATERAL generate_series(1, (kind.rate * (1 + 0.6 * sin(minute / 6.0 + kind.rate)))::integer) AS n`);
}

async function fillPages(db: pg.Pool, { before, crawl, running }: Record<string, string>): Promise<void> {
  await db.query(
    `INSERT INTO crawl_states (job_id, total_processed, total_pending, fetched, failed, skipped, redirected, bytes, current_url, current_depth, baseline, changed, unchanged, started_at)
     VALUES ($1, 30, 0, 28, 2, 3, 1, 812000, NULL, 3, NULL, 0, 0, now() - interval '25 h'), ($2, 30, 0, 28, 2, 3, 1, 834000, NULL, 3, $1, 1, 27, now() - interval '50 min'),
       ($3, 412, 703, 401, 11, 25, 8, 9120000, 'https://books.example/catalogue/page-21', 4, NULL, 0, 0, now() - interval '6 min')`,
    [before, crawl, running],
  );
  await db.query(
    `INSERT INTO crawl_hosts (job_id, host, pending, done) VALUES ($1, 'books.example', 640, 400), ($1, 'covers.books.example', 63, 44)`,
    [running],
  );
  for (const [job, version] of [
    [before, 1],
    [crawl, 2],
  ] as const) {
    for (let n = 1; n <= 34; n++) {
      const outcome = n <= 28 ? 'fetched' : n <= 30 ? 'failed' : n <= 33 ? 'skipped' : 'redirected';
      const { rows } = await db.query<{ url_hash: string }>(
        `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, word_count, bytes, fetched_at, url,
           reason, message, target_url, content_type, language, title, description, structured, change)
         VALUES ($1, md5($2::integer::text)::uuid, $2::integer, $3, $4, $5, 1, $6, $7, now() - make_interval(mins => 52 - $2::integer), $8, $9, $10, $11, 'text/html', 'en', $12, $13, $14, $15)
         RETURNING url_hash`,
        [
          job,
          n,
          outcome,
          outcome === 'fetched' ? 200 : outcome === 'failed' ? 404 : outcome === 'redirected' ? 301 : null,
          n % 4,
          outcome === 'fetched' ? 300 + n * 7 : null,
          24_000 + n,
          `https://docs.example/guide/${words[n % words.length]}/${n}`,
          outcome === 'failed' ? 'http_404' : outcome === 'skipped' ? 'robots_disallowed' : null,
          outcome === 'failed' ? 'The site answered 404' : null,
          outcome === 'redirected' ? 'https://docs.example/guide/new' : null,
          outcome === 'fetched' ? `The ${words[n % words.length]}, chapter ${n}` : null,
          'How it holds',
          outcome === 'fetched' ? JSON.stringify({ og: { title: 'Guide' } }) : null,
          version === 2 && outcome === 'fetched' ? (n === 1 ? 'changed' : 'unchanged') : null,
        ],
      );
      if (outcome !== 'fetched') continue;
      await db.query(
        'INSERT INTO crawl_page_contents (job_id, url_hash, links, markdown) VALUES ($1, $2, $3, $4)',
        [
          job,
          rows[0]?.url_hash,
          deflateRawSync('https://docs.example/\nhttps://docs.example/guide/keel/3'),
          deflateRawSync(markdownOf(n, version)),
        ],
      );
    }
  }
}

function markdownOf(n: number, version: number): string {
  return `# The ${words[n % words.length]}, chapter ${n}

A good ${words[(n + 1) % words.length]} holds in every weather. See [the first chapter](https://docs.example/guide/keel/1).

## What you need

- a rope of ${version * 10} metres
- a lantern

\`\`\`sh
holdfast crawl https://docs.example/
\`\`\`

> Whoever reads this will tie better knots.`;
}

async function fillBots(db: pg.Pool): Promise<void> {
  await db.query(`
    INSERT INTO bots (bot_id, user_id, enabled, last_seen_at, pulls, jobs_pulled, jobs_succeeded, jobs_failed)
    VALUES ('bot-001', 'local', true, now() - interval '20 s', 412, 2050, 1980, 41),
      ('bot-002', 'local', false, now() - interval '3 h', 12, 40, 22, 18)`);
  await db.query(`
    INSERT INTO bot_hours (user_id, bot_id, hour, pulls, jobs_pulled, jobs_succeeded, jobs_failed)
    SELECT 'local', 'bot-001', date_trunc('hour', now()) - make_interval(hours => n), 20 + n % 7, 60 + (n * 37) % 50, 58 + (n * 37) % 48, 2
    FROM generate_series(0, 23) AS n`);
}

async function fillResults(db: pg.Pool, visit: string, policy: string): Promise<string> {
  await db.query(
    `INSERT INTO crawl_results (job_id, policy_id, user_id, url, price, currency, title, in_stock, parsed_data, actor, crawled_at)
     SELECT uuid_v7(), $1, 'local', 'https://shop.example/products/lantern-4711', 49.90 - 0.5 * (n % 5) + n * 0.2, 'EUR', 'Storm lantern 4711',
       n % 6 > 0, '{"sku": "4711"}', 'bot:bot-001', now() - make_interval(hours => 6 * n) FROM generate_series(1, 40) AS n`,
    [policy],
  );
  await db.query(`
    INSERT INTO crawl_results (job_id, user_id, url, price, currency, title, in_stock, parsed_data, actor, crawled_at)
    SELECT uuid_v7(), 'local', 'https://books.example/b/' || n, n * 3.35, (ARRAY['EUR', 'USD', 'JPY'])[1 + n % 3], 'Book ' || n, n % 4 > 0,
      '{"pages": 320}', 'supervisor:crawl-eu-1', now() - make_interval(mins => n) FROM generate_series(1, 8) AS n`);
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO crawl_results (job_id, policy_id, user_id, url, price, currency, title, in_stock, parsed_data, actor)
     VALUES ($1, $2, 'local', 'https://shop.example/products/lantern-4711', 44.90, 'EUR', 'Storm lantern 4711', true,
       '{"sku": "4711", "gtin": "4006381333931", "list_price": "49.90", "variants": [{"colour": "brass"}, {"colour": "black"}]}', 'bot:bot-001') RETURNING id`,
    [visit, policy],
  );
  return rows[0]?.id ?? '';
}

async function fillIntakes(db: pg.Pool): Promise<{ intake: string; collect: string }> {
  await db.query(`
    INSERT INTO sources (id, name, configured, adapter_type, reputation_weight, tier, rate_limit_per_minute, last_success_at)
    VALUES ('auctions', 'Auction results', true, 'json', 1, 9, 60, now() - interval '3 min'),
      ('market', 'Marketplace', true, 'html', 0.6, 5, 30, now() - interval '4 min'),
      ('dealers', 'Dealers’ lists', true, 'import', 0.8, 7, NULL, NULL)`);
  await db.query(`
    INSERT INTO intakes (title, attributes, currency, tags, reference, updated_at) VALUES
      ('Walking Liberty Half Dollar', '{"year": 1942, "denomination": "50c"}', 'USD', '{coins}', 'WL-42', now() - interval '2 h'),
      ('Leica M3, double stroke, with a case and its papers, from the estate of a photographer in Wetzlar', '{"serial": "700 123", "lens": "Summicron 50"}', 'EUR', '{cameras,estate}', 'CAM-1', now() - interval '1 day'),
      (NULL, '{"year": 1799, "mintmark": "CC", "series": "Draped Bust"}', NULL, '{}', NULL, now() - interval '3 days')`);
  const { rows } = await db.query<{ id: string; currency: string | null }>(
    `INSERT INTO intakes (title, attributes, tags, reference)
     VALUES ('Morgan Dollar', '{"year": 1881, "mintmark": "S", "denomination": "$1", "grade": "MS-64"}', '{coins,silver}', 'M-81-S')
     RETURNING id, currency`,
  );
  const [intake] = rows;
  if (!intake) throw new Error('no intake');
  await db.query(
    `INSERT INTO crawl_jobs (kind, status, payload, source_id, completed_at, started_at, progress_percentage, dedupe_key, created_at)
     SELECT 'collect', status::job_status, jsonb_build_object('intake_id', $1::text, 'title', 'Morgan Dollar'), source,
       CASE status WHEN 'completed' THEN now() - interval '5 min' END, CASE status WHEN 'completed' THEN now() - interval '6 min' END,
       CASE status WHEN 'completed' THEN 100 ELSE 0 END, 'intake:' || $1 || '|' || source, now() - interval '7 min'
     FROM (VALUES ('completed', 'auctions'), ('completed', 'market'), ('pending', 'market')) AS job (status, source)`,
    [intake.id],
  );
  const { rows: jobs } = await db.query<{ id: string }>(
    `SELECT id FROM crawl_jobs WHERE kind = 'collect' AND source_id = 'auctions'`,
  );
  const collect = jobs[0]?.id ?? '';
  await db.query(
    `INSERT INTO price_points (intake_id, source_id, dedupe_key, price, currency, price_type, match_strength, listing_url, listing_title, listing_date, job_id, actor)
     SELECT $1, source, 'ext_' || type || n, round((base + 14 * sin(n * 2.4) + 5 * sin(n * 0.7))::numeric, 2), currency, type::price_type, strength,
       'https://' || source || '.example/lots/' || n, '1881-S Morgan Dollar, lot ' || n, now() - make_interval(days => n), $2::uuid, 'supervisor:crawl-eu-1'
     FROM (VALUES ('auctions', 'sold', 118, 'USD', 0.96, 26), ('market', 'sold', 124, 'USD', 0.74, 12), ('market', 'ask', 140, 'USD', 0.7, 6),
       ('market', 'bid', 60, 'USD', 0.7, 2), ('dealers', 'ask', 110, 'EUR', 0.9, 3)) AS given (source, type, base, currency, strength, count)
     CROSS JOIN LATERAL generate_series(1, count) AS n`,
    [intake.id, collect],
  );
  await db.query(
    `INSERT INTO price_points (intake_id, source_id, dedupe_key, price, currency, price_type, match_strength, listing_title, actor)
     VALUES ($1, 'market', 'ext_replica', 4.99, 'USD', 'sold', 0.6, 'Morgan Dollar REPLICA', 'supervisor:crawl-eu-1'),
       ($1, 'auctions', 'ext_roll', 2450, 'USD', 'sold', 0.7, 'Roll of 20 Morgan Dollars', 'supervisor:crawl-eu-1')`,
    [intake.id],
  );
  await valueIntake(db, intake);
  // What it was thought to be worth in the weeks before.
  await db.query(
    `INSERT INTO valuation_history (intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources, sold, ask,
       outliers, other_currencies, not_used, confidence, reasons, valued_at, id)
     SELECT intake_id, currency, p10 - n, p20 - n, p40 - n, median - n + n % 3, p60 - n, p80 - n / 2, p90, mean - n, comparables - n, sources, sold - n, ask,
       outliers, other_currencies, not_used, greatest(1, confidence - n / 3), reasons, valued_at - make_interval(days => 3 * n),
       -- Older than the last: ids sort by their time.
       overlay(id::text PLACING lpad((99 - n)::text, 8, '0') FROM 1 FOR 8)::uuid
     FROM (SELECT * FROM valuation_history WHERE intake_id = $1) AS last CROSS JOIN generate_series(1, 9) AS n`,
    [intake.id],
  );
  return { intake: intake.id, collect };
}
