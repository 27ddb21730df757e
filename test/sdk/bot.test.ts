import { Bot, type BotOptions, type Handler, type PulledJob, type Submitted } from '@holdfast/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { visit } from '../bot-fixture/bot-fixture.ts';
import { SdkFixture } from './sdk-fixture.ts';

const fixture = new SdkFixture();
const { line } = fixture;
const tables = [
  'crawl_results',
  'bot_submissions',
  'bot_pulls',
  'bot_hours',
  'bots',
  'crawl_jobs',
  'job_events',
];
beforeEach(() => fixture.pool.query(tables.map((table) => `DELETE FROM ${table}`).join(';')));

/** Those of a test that failed would take the jobs of the next. */
const bots: Bot[] = [];
afterEach(() => {
  for (const bot of bots.splice(0)) void bot.stop();
});

/** Something that a test waits for. */
class Signal<Value = void> {
  resolve!: (value: Value) => void;
  readonly fired = new Promise<Value>((resolve) => {
    this.resolve = resolve;
  });
}

interface Heard {
  readonly errors: [error: unknown, job: PulledJob | undefined][];
  readonly answers: [job: PulledJob, answer: Submitted][];
}

async function newBot(options: Partial<BotOptions> = {}): Promise<{ bot: Bot; heard: Heard }> {
  const heard: Heard = { errors: [], answers: [] };
  const token = options.token ?? (await fixture.api.key({ scopes: ['bots'], bot_id: 'bot-001' }));
  const bot = new Bot({
    baseUrl: line.address,
    botId: 'bot-001',
    maxIdleMs: 50,
    onError: (error, job) => heard.errors.push([error, job]),
    onSubmitted: (job, answer) => heard.answers.push([job, answer]),
    ...options,
    token,
  });
  bots.push(bot);
  return { bot, heard };
}

async function enqueue(count: number, fields: Parameters<typeof visit>[1] = {}): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, n) => visit(`https://shop.example/${n + 1}`, fields));
  return (await enqueueJobs(fixture.pool, requests)).map(({ job }) => job.id);
}

async function statuses(): Promise<Record<string, number>> {
  const { rows } = await fixture.pool.query(
    'SELECT status, count(*) AS count FROM crawl_jobs GROUP BY status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const settled = (expected: Record<string, number>) =>
  expect.poll(statuses, { timeout: 20_000, interval: 20 }).toEqual(expected);

const result = { price: '99.90', currency: 'usd' };
const works: Handler = async () => result;

/** Never ends by itself. */
const untilAborted: Handler = (_job, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('a bot', () => {
  test('works through all jobs, so many at a time, and keeps every digit', async () => {
    await enqueue(30);
    const { bot, heard } = await newBot({ concurrency: 4 });
    let [atOnce, most] = [0, 0];
    const run = bot.run(async ({ url }) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 10));
      atOnce--;
      const price = `12345678901234567.${url.split('/').at(-1)}0`;
      return {
        price,
        currency: 'eur',
        title: 'Grüße',
        in_stock: true,
        parsed_data: { a: [1] },
        raw_html: '<p>',
      };
    });
    await settled({ completed: 30 });
    await bot.stop();
    expect(await run).toEqual({ pulled: 30, succeeded: 30, failed: 0, lost: 0 });
    expect(most).toBe(4);
    expect(heard.errors).toEqual([]);
    expect(new Set(heard.answers.map(([{ job_id }]) => job_id)).size).toBe(30);
    const { rows } = await fixture.pool.query(
      `SELECT url, price::text AS price, currency, title, in_stock, parsed_data FROM crawl_results`,
    );
    expect(rows).toHaveLength(30);
    for (const { url, ...found } of rows) {
      expect(found).toEqual({
        price: `12345678901234567.${url.split('/').at(-1)}0`,
        currency: 'EUR',
        title: 'Grüße',
        in_stock: true,
        parsed_data: { a: [1] },
      });
    }
    for (const { body } of line.to(/submit/)) expect(body).toMatch(/"price":12345678901234567\.\d+0}$/);
  });

  test('submits what a handler throws as a failure, and tries the job again', async () => {
    const [id] = await enqueue(1, { max_retries: 2 });
    const { bot, heard } = await newBot();
    let calls = 0;
    const run = bot.run(async () => {
      calls++;
      if (calls < 3) throw new Error(`no price on the page (${calls})`);
      return result;
    });
    await settled({ completed: 1 });
    await bot.stop();
    expect(await run).toEqual({ pulled: 3, succeeded: 1, failed: 2, lost: 0 });
    expect(heard.answers.map(([, { status }]) => status)).toEqual(['pending', 'pending', 'done']);
    expect(heard.errors.map(([error]) => (error as Error).message)).toEqual([
      'no price on the page (1)',
      'no price on the page (2)',
    ]);
    const { rows } = await fixture.pool.query(
      `SELECT reason FROM job_events WHERE job_id = $1 AND transition = 'retryNow' ORDER BY event_no`,
      [id],
    );
    expect(rows.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('no price on the page (1)'),
      expect.stringContaining('no price on the page (2)'),
    ]);
  });

  test('says what is wrong with a result that nobody can take', async () => {
    await enqueue(4, { max_retries: 0 });
    const { bot } = await newBot();
    const bad = [
      { price: '1,50', currency: 'USD' },
      { price: '1.50', currency: 'US dollars' },
      { price: '-1', currency: 'USD' },
      undefined,
    ];
    const run = bot.run(async () => bad.pop() as typeof result);
    await settled({ failed: 4 });
    await bot.stop();
    expect(await run).toEqual({ pulled: 4, succeeded: 0, failed: 4, lost: 0 });
    const { rows } = await fixture.pool.query('SELECT error_message FROM crawl_jobs');
    const messages = rows.map(({ error_message }) => error_message).join('\n');
    expect(messages).toMatch(/"1,50" is no decimal number/);
    expect(messages).toMatch(/three letters/);
    expect(messages).toMatch(/at least 0/);
    expect(messages).toMatch(/returned nothing/);
  });

  test('keeps its lock with heartbeats for as long as the work takes', async () => {
    await enqueue(1, { lock_ttl_seconds: 3 });
    const { bot, heard } = await newBot();
    const began = new Signal();
    const finish = new Signal();
    const run = bot.run(async () => {
      began.resolve();
      await finish.fired;
      return result;
    });
    await began.fired;
    const read = async () =>
      (await fixture.pool.query('SELECT lease_expires_at, started_at FROM crawl_jobs')).rows[0];
    const held = async () => {
      const { lease_expires_at, started_at } = await read();
      return lease_expires_at.getTime() - started_at.getTime();
    };
    // Longer than it would have lasted without them.
    await expect.poll(held, { timeout: 20_000 }).toBeGreaterThan(6_000);
    finish.resolve();
    await settled({ completed: 1 });
    await bot.stop();
    expect(await run).toMatchObject({ pulled: 1, succeeded: 1 });
    expect(heard.errors).toEqual([]);
  });

  test('stops work on a job whose lock is lost, and submits nothing', async () => {
    const [id] = await enqueue(1, { lock_ttl_seconds: 3 });
    const { bot, heard } = await newBot();
    const began = new Signal();
    const run = bot.run(async (job, context) => {
      began.resolve();
      return untilAborted(job, context);
    });
    await began.fired;
    await fixture.pool.query(
      `UPDATE crawl_jobs SET worker_id = 'another', fence = fence + 1, lease_expires_at = now() + interval '1 hour'`,
    );
    await expect.poll(() => heard.errors.length, { timeout: 20_000 }).toBe(1);
    await bot.stop();
    expect(await run).toEqual({ pulled: 1, succeeded: 0, failed: 0, lost: 1 });
    expect(heard.errors).toMatchObject([[{ name: 'JobInterrupted', why: 'lost' }, { job_id: id }]]);
    expect(line.to(/submit/)).toEqual([]);
  });

  test('gives up a lock that it cannot keep, by the clock', async () => {
    await enqueue(1, { lock_ttl_seconds: 2 });
    const { bot, heard } = await newBot();
    line.next(/heartbeat/, ...Array.from({ length: 100 }, () => 'lose request' as const));
    const run = bot.run(untilAborted);
    await expect
      .poll(() => heard.errors.map(([error]) => error), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ why: 'lost' }));
    await bot.stop();
    expect(await run).toMatchObject({ pulled: 1, lost: 1 });
    expect(line.to(/submit/)).toEqual([]);
  });

  test('stops work on a job that is to be cancelled or paused, and lets it end so', async () => {
    const ids = await enqueue(2, { lock_ttl_seconds: 3 });
    const holdfast = await fixture.client({ apiKey: await fixture.api.key() });
    const { bot, heard } = await newBot();
    const reasons: unknown[] = [];
    const began = [new Signal(), new Signal()];
    const run = bot.run(async (job, context) => {
      began[ids.indexOf(job.job_id)]?.resolve();
      context.signal.addEventListener('abort', () => reasons.push(context.signal.reason.why));
      return untilAborted(job, context);
    });
    await Promise.all(began.map(({ fired }) => fired));
    await Promise.all([holdfast.jobs.cancel(ids[0] ?? ''), holdfast.jobs.pause(ids[1] ?? '')]);
    await settled({ cancelled: 1, paused: 1 });
    await bot.stop();
    expect(await run).toEqual({ pulled: 2, succeeded: 0, failed: 2, lost: 0 });
    expect(reasons.toSorted()).toEqual(['cancel', 'pause']);
    expect(heard.answers.map(([, { status }]) => status).toSorted()).toEqual(['cancelled', 'paused']);
  });

  test('finishes what it has begun when it is stopped, and takes nothing more', async () => {
    await enqueue(5);
    const stopping = new AbortController();
    const { bot } = await newBot({ concurrency: 2, signal: stopping.signal });
    const began = new Signal();
    const finish = new Signal();
    let calls = 0;
    const run = bot.run(async () => {
      if (++calls === 2) began.resolve();
      await finish.fired;
      return result;
    });
    await began.fired;
    stopping.abort();
    finish.resolve();
    expect(await run).toEqual({ pulled: 2, succeeded: 2, failed: 0, lost: 0 });
    expect(await statuses()).toEqual({ completed: 2, pending: 3 });
    expect(() => bot.run(works)).toThrow('a bot runs once');
  });

  test('works on what a pull under way brings when it is stopped, so that nothing stays locked', async () => {
    await enqueue(3);
    const { bot } = await newBot({ concurrency: 3 });
    const answer = new Signal();
    line.next(/pull/, { until: answer.fired });
    const run = bot.run(works);
    await settled({ processing: 3 });
    const stopped = bot.stop();
    answer.resolve();
    await stopped;
    expect(await run).toEqual({ pulled: 3, succeeded: 3, failed: 0, lost: 0 });
    expect(await statuses()).toEqual({ completed: 3 });
    expect(line.to(/pull/)).toHaveLength(1);
  });

  test('asks once more for what a lost answer may have brought when it is stopped', async () => {
    await enqueue(3);
    const { bot } = await newBot({ concurrency: 3 });
    line.next(/pull/, 'lose answer');
    const run = bot.run(works);
    await settled({ processing: 3 });
    await bot.stop();
    expect(await run).toMatchObject({ pulled: 3, succeeded: 3 });
    expect(await statuses()).toEqual({ completed: 3 });
  });

  test('interrupts what takes too long when it is stopped', async () => {
    await enqueue(1, { max_retries: 5 });
    const { bot } = await newBot({ concurrency: 1, drainMs: 100 });
    const began = new Signal();
    const run = bot.run(async (job, context) => {
      began.resolve();
      return untilAborted(job, context);
    });
    await began.fired;
    await bot.stop();
    expect(await run).toEqual({ pulled: 1, succeeded: 0, failed: 1, lost: 0 });
    expect(await statuses()).toEqual({ pending: 1 });
  });

  test('gets the same jobs again when the answer to a pull is lost, and the same answer to a submit', async () => {
    await enqueue(6);
    const { bot, heard } = await newBot({ concurrency: 3 });
    line.next(/pull/, 'lose answer', 'lose answer', 'lose request');
    line.next(/submit/, 'lose answer', 'lose request', 'lose answer', {
      status: 503,
      headers: { 'retry-after': '0' },
    });
    const run = bot.run(works);
    await settled({ completed: 6 });
    await bot.stop();
    expect(await run).toEqual({ pulled: 6, succeeded: 6, failed: 0, lost: 0 });
    const { rows } = await fixture.pool.query(
      `SELECT count(*) AS claims FROM job_events WHERE transition = 'claim'`,
    );
    expect(rows[0].claims).toBe(6);
    const pulls = line.to(/pull/).slice(0, 4);
    expect(new Set(pulls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(pulls.map(({ body }) => body)).size).toBe(1);
    expect(heard.errors.length).toBe(7);
    const { rows: results } = await fixture.pool.query('SELECT count(*) AS count FROM crawl_results');
    expect(results[0].count).toBe(6);
  });

  test('goes on through a restart of the API', async () => {
    await enqueue(20, { lock_ttl_seconds: 30 });
    const { bot } = await newBot({ concurrency: 3 });
    const began = new Signal();
    let calls = 0;
    const run = bot.run(async () => {
      if (++calls === 5) began.resolve();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return result;
    });
    await began.fired;
    await fixture.api.stop();
    await fixture.api.start();
    await settled({ completed: 20 });
    await bot.stop();
    expect(await run).toMatchObject({ succeeded: 20, lost: 0 });
  });

  test('waits when it is told that it pulls too often', async () => {
    await fixture.pool.query(
      `INSERT INTO bots (user_id, bot_id, max_pulls_per_minute, window_start, window_pulls)
       VALUES ('alice', 'bot-001', 1, now() - interval '55 seconds', 1)`,
    );
    await enqueue(1);
    const { bot, heard } = await newBot();
    const run = bot.run(works);
    await settled({ completed: 1 });
    await bot.stop();
    expect(await run).toMatchObject({ succeeded: 1 });
    const [error] = heard.errors[0] ?? [];
    const retryAfterMs = (error as { retryAfterMs: number }).retryAfterMs;
    expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
    const [first, second] = line.to(/pull/);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(retryAfterMs - 10);
  });

  test('pulls less and less often while there is nothing to do', async () => {
    const { bot } = await newBot({ maxIdleMs: 60_000 });
    const run = bot.run(works);
    await expect.poll(() => line.to(/pull/).length, { timeout: 20_000 }).toBe(4);
    await bot.stop();
    await run;
    const times = line.to(/pull/).map(({ at }) => at);
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    for (const [n, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(250 * 2 ** n - 5);
  });

  test('ends when the server refuses it', async () => {
    const { bot } = await newBot({ token: 'hf_wrong' });
    await expect(bot.run(works)).rejects.toMatchObject({ code: 'authentication_error', status: 401 });
    const { bot: other } = await newBot({ botId: 'bot-002' });
    await expect(other.run(works)).rejects.toMatchObject({ code: 'authentication_error', status: 403 });
    const { bot: lost } = await newBot({ domain: 'not a domain' });
    await expect(lost.run(works)).rejects.toMatchObject({ code: 'validation_error', status: 400 });
    expect(line.to(/pull/)).toHaveLength(3);
  });

  test('ends by itself when nothing is left to do, if it was told to', async () => {
    await enqueue(3);
    const { bot } = await newBot({ untilEmpty: true, concurrency: 1 });
    expect(await bot.run(works)).toMatchObject({ pulled: 3, succeeded: 3 });
    expect(await statuses()).toEqual({ completed: 3 });
  });

  test('pulls jobs of its domain alone', async () => {
    await enqueueJobs(fixture.pool, [visit('https://a.example/1'), visit('https://b.example/1')]);
    const { bot } = await newBot({ domain: 'b.example' });
    const urls: string[] = [];
    const run = bot.run(async ({ url }) => {
      urls.push(url);
      return result;
    });
    await settled({ completed: 1, pending: 1 });
    await bot.stop();
    await run;
    expect(urls).toEqual(['https://b.example/1']);
  });
});
