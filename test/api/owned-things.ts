import { deflateRawSync } from 'node:zlib';
import type { Pool } from 'pg';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';

/** A thing with an owner: the routes that show it, and how to make one. */
export interface OwnedNoun {
  readonly routes: RegExp;
  /** Makes one, and answers with the values of the parameters that lead to it. */
  readonly make: (pool: Pool, owner: string) => Promise<Record<string, string>>;
  /** What is sent to change one, where the least that the schema allows is refused. */
  readonly body?: object;
}

const job: OwnedNoun['make'] = async (pool, owner) => {
  const request = { kind: 'crawl' as const, payload: { url: 'https://example.com/' }, user_id: owner };
  const { id } = (await enqueueJob(pool, request)).job;
  return { id, job_id: id, jobId: id, progressId: id };
};

const policy: OwnedNoun['make'] = async (pool, owner) => {
  const { rows } = await pool.query(
    `INSERT INTO crawl_policies (user_id, kind, url) VALUES ($1, 'crawl', 'https://example.com/' || gen_random_uuid())
     RETURNING id`,
    [owner],
  );
  return { id: rows[0].id };
};

const result: OwnedNoun['make'] = async (pool, owner) => {
  const { rows } = await pool.query(
    `INSERT INTO crawl_results (job_id, user_id, url, actor, raw_html)
     VALUES (gen_random_uuid(), $1, 'https://example.com/', 'bot:b', $2) RETURNING id`,
    [owner, deflateRawSync('<p>hello</p>')],
  );
  return { id: rows[0].id };
};

const bot: OwnedNoun['make'] = async (pool, owner) => {
  const { rows } = await pool.query(
    `INSERT INTO bots (bot_id, user_id) VALUES (gen_random_uuid(), $1) RETURNING bot_id`,
    [owner],
  );
  return { bot_id: rows[0].bot_id, id: rows[0].bot_id };
};

const intake: OwnedNoun['make'] = async (pool, owner) => {
  const { rows } = await pool.query(`INSERT INTO intakes (user_id, title) VALUES ($1, 'Coin') RETURNING id`, [owner]);
  const { id } = rows[0];
  await pool.query(
    `INSERT INTO sources (id, name, configured, adapter_type) VALUES ('x', 'x', true, 'import') ON CONFLICT DO NOTHING`,
  );
  await pool.query(
    `INSERT INTO valuations SELECT * FROM jsonb_populate_record(NULL::valuations, $1)`,
    [{ intake_id: id, currency: 'USD', p10: 1, p20: 1, p40: 1, median: 1, p60: 1, p80: 1, p90: 1, mean: 1, comparables: 1,
      sources: 1, sold: 1, ask: 0, outliers: 0, other_currencies: 0, not_used: 0, confidence: 1, reasons: [],
      valued_at: new Date() }],
  );
  return { id, intake_id: id };
}; // biome-ignore format: a row

const pricePoint: OwnedNoun['make'] = async (pool, owner) => {
  const { id: intakeId } = await intake(pool, owner);
  const { rows } = await pool.query(
    `INSERT INTO price_points (intake_id, source_id, dedupe_key, price, currency, price_type, match_strength, actor)
     VALUES ($1, 'x', 'ext_1', 5, 'USD', 'sold', 1, 'user:x') RETURNING id`,
    [intakeId],
  );
  return { id: rows[0].id };
};

const webhook: OwnedNoun['make'] = async (pool, owner) => {
  const { rows } = await pool.query(
    `WITH hook AS (
       INSERT INTO webhooks (user_id, url, events, secret) VALUES ($1, 'https://example.com/', '{job.completed}', 'whsec_eA==')
       RETURNING id)
     INSERT INTO webhook_deliveries (webhook_id, event, payload) SELECT id, 'webhook.test', '{}' FROM hook
     RETURNING webhook_id, id`,
    [owner],
  );
  return { id: rows[0].webhook_id, delivery_id: rows[0].id };
};

const profile: OwnedNoun['make'] = async (pool, owner) => {
  const { rows } = await pool.query(
    `WITH secret AS (INSERT INTO secrets (id, key_id, sealed) VALUES (gen_random_uuid(), 'other', 'x') RETURNING id)
     INSERT INTO profiles (user_id, name, origins, contents, secret_id)
     SELECT $1, gen_random_uuid(), '{https://example.com}', '{"headers": [], "cookies": []}', id FROM secret RETURNING name`,
    [owner],
  );
  return { name: rows[0].name };
};

/** Things that have no owner: whoever may see one may see them all. */
export const sharedRoutes = /^\/api\/v1\/(sources|workers)\//;

export const ownedNouns: readonly OwnedNoun[] = [
  { routes: /^\/api\/v1\/jobs\//, make: job },
  { routes: /^(\/api)?\/(knowledge-items|crawl-progress|progress)\//, make: job },
  { routes: /^\/api\/v1\/policies\//, make: policy },
  { routes: /^\/api\/v1\/results\//, make: result },
  { routes: /^\/api\/v1\/bots\//, make: bot },
  { routes: /^\/api\/v1\/(intakes|valuations)\//, make: intake },
  { routes: /^\/api\/v1\/price-points\//, make: pricePoint },
  { routes: /^\/api\/v1\/webhooks\//, make: webhook },
  {
    routes: /^\/api\/v1\/profiles\//,
    make: profile,
    body: { origins: ['https://example.com'], bearer_token: 'x' },
  },
];
