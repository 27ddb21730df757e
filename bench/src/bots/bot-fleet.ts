import { Pool } from 'undici';

export interface Target {
  readonly address: string;
  readonly key: string;
}

interface PulledJob {
  readonly job_id: string;
  readonly lease_token: string;
}

/** So many bots at once, each pulling ten jobs and submitting them one after the other, until so many are submitted. */
export async function runFleet({ address, key }: Target, bots: number, jobs: number): Promise<void> {
  const pool = new Pool(address, { connections: bots, pipelining: 1 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const post = async (path: string, body: object, expected: number): Promise<unknown> => {
    const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== expected) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  let left = jobs;
  const work = async (bot: number) => {
    const bot_id = `bot-${bot}`;
    while (left > 0) {
      const max_jobs = Math.min(10, left);
      left -= max_jobs;
      const pulled = (await post('/api/crawl/pull/', { bot_id, max_jobs }, 200)) as {
        data: { jobs: PulledJob[] };
      };
      if (pulled.data.jobs.length !== max_jobs)
        throw new Error(`${pulled.data.jobs.length} of ${max_jobs} jobs`);
      for (const { job_id, lease_token } of pulled.data.jobs) {
        const said = { success: true, price: 99.99, currency: 'USD', title: 'Product Name', in_stock: true };
        await post('/api/crawl/submit/', { bot_id, job_id, lease_token, ...said }, 201);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: bots }, (_, bot) => work(bot)));
  } finally {
    await pool.close();
  }
}
