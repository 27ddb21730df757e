import type pg from 'pg';
import { fillIntakes } from './fill-intakes.ts';
import { fillPages, words } from './fill-pages.ts';

export interface Filled {
  /** A finished recrawl of which one page changed. */
  readonly crawl: string;
  readonly changedPage: string;
  /** A page that ran in a browser, with a screenshot. */
  readonly renderedPage: string;
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
    INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, running_jobs, last_seen, started_at, browser, browser_problem)
    VALUES ('crawl-eu-1', 'eu-1.internal', 'b', 4242, 's', '0.2.0', 8, 5, now() + interval '1 day', now() - interval '3 days', '/usr/bin/chromium', NULL),
      ('crawl-eu-2', 'eu-2.internal', 'b', 4243, 's', '0.2.0', 8, 0, now() - interval '7 min', now() - interval '2 days', NULL, 'there is no browser')`);
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
    progress_percentage: 65,
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
  const renderedPage = await one<string>(
    'SELECT url_hash FROM crawl_pages WHERE job_id = $1 AND page_no = 2',
    [crawl],
  );
  return {
    crawl,
    changedPage,
    renderedPage,
    running,
    failed,
    visit,
    result,
    policy,
    bot: 'bot-001',
    intake,
    collect,
  };
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
