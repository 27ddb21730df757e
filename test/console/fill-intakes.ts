import type pg from 'pg';
import { valueIntake } from '../../packages/server/src/shop/valuations/value-intake.ts';

/** Items with prices from several sources, one of them valued, with a past. */
export async function fillIntakes(db: pg.Pool): Promise<{ intake: string; collect: string }> {
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
    `INSERT INTO crawl_jobs (kind, status, intake_id, payload, source_id, completed_at, started_at, progress_percentage, dedupe_key, created_at)
     SELECT 'collect', status::job_status, $1::uuid, jsonb_build_object('intake_id', $1::uuid, 'title', 'Morgan Dollar'), source,
       CASE status WHEN 'completed' THEN now() - interval '5 min' END, CASE status WHEN 'completed' THEN now() - interval '6 min' END,
       CASE status WHEN 'completed' THEN 100 ELSE 0 END, 'intake:' || $1::uuid || '|' || source, now() - interval '7 min'
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
