import {
  deliveryStatuses,
  HoldfastError,
  type WebhookEvent,
  webhookEventNames,
  webhookTestEvent,
} from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { actor, crawl, transient } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { claimJobs } from '../jobs/claim-jobs.ts';
import { completeJobs } from '../jobs/complete-jobs.ts';
import { enqueueJob, enqueueJobs } from '../jobs/enqueue-jobs.ts';
import { failJobs } from '../jobs/fail-jobs.ts';
import { retryJobsLater } from '../jobs/retry-jobs-later.ts';
import { updateWebhook } from './edit-webhooks.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();
const every = [...webhookEventNames];
const told = async () => (await hooks.deliveries()).map(({ event }) => event);

describe('the database says the same as the contract', () => {
  test.each([
    ['webhook_event', [...webhookEventNames, webhookTestEvent]],
    ['webhook_delivery_status', deliveryStatuses],
  ])('about the values of %s', async (type, values) => {
    const { rows } = await hooks.pool.query(`SELECT unnest(enum_range(NULL::${type}))::text AS value`);
    expect(rows.map((row) => row.value)).toEqual(values);
  });
});

describe('the outbox', () => {
  test('gets what happens to a job, in the transaction in which it happens', async () => {
    await hooks.hook({ events: every });
    const job = await hooks.claimedOne();
    await hooks.pool.query('DELETE FROM webhook_deliveries');
    const client = await hooks.pool.connect();
    try {
      await client.query('BEGIN');
      await completeJobs(client, [job], actor);
      expect((await client.query('SELECT event FROM webhook_deliveries')).rows).toEqual([
        { event: 'job.completed' },
      ]);
      expect(await told()).toEqual([]);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect(await told()).toEqual([]);
    await completeJobs(hooks.pool, [job], actor);
    expect(await told()).toEqual(['job.completed']);
  });

  test('tells a job by its id, its state and its error, and nothing that is secret', async () => {
    await hooks.hook({ events: ['job.failed'] });
    const job = await hooks.claimedOne({
      payload: { url: 'https://example.com/x', metadata: { password: 'hunter2' } },
    });
    await failJobs(hooks.pool, [{ ...job, error: new HoldfastError('page_refused', 'status 403') }], actor);
    const [delivery] = await hooks.deliveries();
    expect(delivery?.payload).toEqual({
      type: 'job.failed',
      version: 1,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        job_id: job.id,
        kind: 'crawl',
        status: 'failed',
        url: 'https://example.com/x',
        policy_id: null,
        source_id: null,
        user_id: 'local',
        event_no: 3,
        retry_count: 0,
        started_at: expect.stringMatching(/Z$/),
        ended_at: expect.stringMatching(/Z$/),
        error: { code: 'page_refused', message: expect.stringContaining('403') },
        pages: null,
      },
    });
    expect(JSON.stringify(delivery?.payload)).not.toMatch(/hunter2|whsec_/);
  });

  test.each<[WebhookEvent, (id: string) => Promise<unknown>]>([
    ['job.paused', (id) => actOnJob(hooks.pool, 'pause', id)],
    ['job.cancelled', (id) => actOnJob(hooks.pool, 'cancel', id)],
    ['job.started', () => hooks.claimOne()],
    [
      'job.retrying',
      async () => retryJobsLater(hooks.pool, [{ ...(await hooks.claimOne()), error: transient }], actor),
    ],
  ])('gets %s', async (event, act) => {
    await hooks.hook({ events: every });
    const { id } = await hooks.enqueueOne();
    expect(await told()).toEqual([]);
    await act(id);
    expect((await told()).at(-1)).toBe(event);
  });

  test('gets a row for each job of a batch and each webhook that hears it, of its owner alone', async () => {
    const [one, two] = [await hooks.hook(), await hooks.hook()];
    await hooks.hook({ events: ['job.failed'] });
    await hooks.hook({ user_id: 'mallory' });
    const off = await hooks.hook();
    await updateWebhook(hooks.pool, off.id, { enabled: false }, []);
    await enqueueJobs(hooks.pool, [crawl(), crawl(), crawl(), crawl({ user_id: 'bob' })]);
    const jobs = await claimJobs(hooks.pool, {
      lanes: [{ kind: 'crawl', executor: 'builtin', leaseSeconds: 60 }],
      limit: 10,
      workerId: 'w1',
    });
    await completeJobs(hooks.pool, jobs, actor);
    const rows = await hooks.deliveries();
    expect(rows.map(({ webhook_id }) => webhook_id).sort()).toEqual(
      [one, one, one, two, two, two].map(({ id }) => id).sort(),
    );
    expect(new Set(rows.map(({ id }) => id)).size).toBe(6);
  });

  test('gets a price that changed, as exact text', async () => {
    await hooks.hook({ events: ['price.changed'], user_id: 'alice' });
    for (const price of ['19.90', '19.90', '0.30'])
      await hooks.pool.query(
        `INSERT INTO crawl_results (job_id, user_id, url, actor, price, currency)
         VALUES (gen_random_uuid(), 'alice', 'https://shop.example/1', 'bot:b', $1, 'EUR')`,
        [price],
      );
    const rows = await hooks.deliveries();
    expect(rows.map(({ payload }) => payload.data)).toMatchObject([
      { url: 'https://shop.example/1', price: '0.30', previous_price: '19.90', currency: 'EUR' },
    ]);
  });

  test('gets pages that failed, and what a recrawl finds different', async () => {
    await hooks.hook({ events: ['page.new', 'page.changed', 'page.gone', 'page.failed'], user_id: 'alice' });
    const { job } = await enqueueJob(hooks.pool, crawl({ user_id: 'alice' }));
    const page = (n: number, outcome: string, change: string | null, kind = 'page') =>
      hooks.pool.query(
        `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, kind, depth, attempts, fetched_at, url, reason, change)
         VALUES ($1, gen_random_uuid(), $2, $3, $4, 0, 1, now(), 'https://example.com/' || $2::bigint, $5, $6)`,
        [job.id, n, outcome, kind, outcome === 'failed' ? 'site_error' : null, change],
      );
    await page(1, 'fetched', null);
    await page(2, 'fetched', 'unchanged');
    await page(3, 'fetched', 'new');
    await page(4, 'fetched', 'changed');
    await page(5, 'failed', 'gone');
    await page(6, 'failed', null, 'sitemap');
    await hooks.pool.query(
      `INSERT INTO crawl_gone (job_id, url_hash, url, last_seen)
       SELECT $1, gen_random_uuid(), 'https://example.com/gone/' || n, now() FROM generate_series(1, 2) n`,
      [job.id],
    );
    const rows = (await hooks.deliveries()).map(({ event, payload: { data } }) => [event, data.url]);
    expect(rows.sort()).toEqual([
      ['page.changed', 'https://example.com/4'],
      ['page.failed', 'https://example.com/5'],
      ['page.gone', 'https://example.com/5'],
      ['page.gone', 'https://example.com/gone/1'],
      ['page.gone', 'https://example.com/gone/2'],
      ['page.new', 'https://example.com/3'],
    ]);
  });
});
