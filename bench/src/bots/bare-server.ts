// Two Fastify routes that insert the rows that a pull and a submit leave behind, and nothing else: no key, no lease, no
// check, no update of the job. One statement a request, prepared, on a pool as large as the product's.
import fastify from 'fastify';
import pg from 'pg';

interface Job {
  readonly id: string;
  readonly url: string;
}

interface Submitted {
  readonly bot_id: string;
  readonly job_id: string;
  readonly price: number;
  readonly currency: string;
  readonly title: string;
  readonly in_stock: boolean;
}

const [url = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
const { rows: jobs } = await pool.query<Job>(
  `SELECT id, payload ->> 'url' AS url FROM crawl_jobs ORDER BY created_at`,
);
let next = 0;

const pull = {
  name: 'pull',
  text: `INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
    SELECT id, 2, 'claim', 'pending', 'processing', 1, 'bot:' || $2 FROM unnest($1::uuid[]) AS id`,
};
const submit = {
  name: 'submit',
  text: `WITH event AS (
      INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
      VALUES ($1, 3, 'complete', 'processing', 'completed', 1, 'bot:' || $2)
    ), submission AS (
      INSERT INTO bot_submissions (job_id, fence, bot_id, http_status, answer) VALUES ($1, 1, $2, 201, $3)
    )
    INSERT INTO crawl_results (job_id, user_id, url, price, currency, title, in_stock, actor)
    VALUES ($1, 'bench', $4, $5, $6, $7, $8, 'bot:' || $2) RETURNING id`,
};

const server = fastify();
server.post<{ Body: { bot_id: string; max_jobs: number } }>('/api/crawl/pull/', async ({ body }) => {
  const taken = jobs.slice(next, next + body.max_jobs);
  next += taken.length;
  await pool.query({ ...pull, values: [taken.map(({ id }) => id), body.bot_id] });
  const shown = taken.map(({ id, url }) => ({
    job_id: id,
    url,
    priority: 0,
    max_retries: 3,
    timeout_seconds: 600,
    retry_count: 0,
    locked_until: new Date().toISOString(),
    lease_token: id,
  }));
  return { success: true, data: { jobs: shown, count: shown.length, skipped: 0 } };
});
server.post<{ Body: Submitted }>('/api/crawl/submit/', async ({ body }, reply) => {
  const { bot_id, job_id, price, currency, title, in_stock } = body;
  const data = { job_id, status: 'done', price, currency, policy_next_run: null };
  const values = [
    job_id,
    bot_id,
    JSON.stringify(data),
    'https://example.com/',
    price,
    currency,
    title,
    in_stock,
  ];
  const { rows } = await pool.query({ ...submit, values });
  return reply.code(201).send({ success: true, data: { result_id: rows[0].id, ...data } });
});
const address = await server.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ address, key: 'none' });
process.once('disconnect', async () => {
  await server.close();
  await pool.end();
});
