import { deflateRawSync } from 'node:zlib';
import type { Pool } from 'pg';
import { enqueueJob } from '../../packages/server/src/queue/enqueue-jobs.ts';

/** A thing with an owner: the routes that show it, and how to make one. */
export interface OwnedNoun {
  readonly routes: RegExp;
  /** Makes one, and answers with the values of the parameters that lead to it. */
  readonly make: (pool: Pool, owner: string) => Promise<Record<string, string>>;
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

/** Things that have no owner: whoever may see one may see them all. */
export const sharedRoutes = /^\/api\/v1\/(sources|workers)\//;

export const ownedNouns: readonly OwnedNoun[] = [
  { routes: /^\/api\/v1\/jobs\//, make: job },
  { routes: /^(\/api)?\/(knowledge-items|crawl-progress|progress)\//, make: job },
  { routes: /^\/api\/v1\/policies\//, make: policy },
  { routes: /^\/api\/v1\/results\//, make: result },
  { routes: /^\/api\/v1\/bots\//, make: bot },
];
