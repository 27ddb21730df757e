import { once } from 'node:events';
import { verifyWebhook } from '@holdfast/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { sendTest } from '../../packages/server/src/queue/webhooks/deliver-now.ts';
import { createWebhook } from '../../packages/server/src/queue/webhooks/edit-webhooks.ts';
import { Receiver } from '../../packages/server/src/queue/webhooks/testing/receiver.ts';
import { runHoldfast, startHoldfast } from '../command-line/run-holdfast.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

vi.setConfig({ testTimeout: 120_000 });
let database: TestDatabase;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  database = await createTestDatabase();
});
afterAll(async () => {
  await receiver.close();
  await database.drop();
});
beforeEach(async () => {
  await database.pool.query('DELETE FROM webhooks');
  await database.pool.query('DELETE FROM webhook_deliveries');
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 204 });
});
const env = () => ({ DATABASE_URL: database.url, HOLDFAST_ALLOW_PRIVATE: receiver.origin });
const made = () => createWebhook(database.pool, { url: `${receiver.origin}/hook` }, [receiver.origin]);
const webhooks = (...args: string[]) => runHoldfast(['webhooks', ...args], env());

describe('holdfast webhooks', () => {
  test('adds one whose secret is shown once, tests it, and tells what is wrong with it', async () => {
    const made = await webhooks(
      'add',
      `${receiver.origin}/hook`,
      '--event',
      'job.completed',
      '--description',
      'ci',
    );
    const [, id = ''] = /added webhook (\S+): job\.completed/.exec(made.stdout) ?? [];
    const [secret = ''] = /whsec_\S+/.exec(made.stdout) ?? [];
    expect([made.exit, id.length, secret.length]).toEqual([0, 36, 50]);

    const tested = await webhooks('test', id);
    expect([tested.exit, tested.stdout]).toEqual([
      0,
      expect.stringContaining('delivered; the receiver answered 204'),
    ]);
    expect(tested.stderr).toBe('sending; waiting up to 15 s for the receiver …\n');
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: '' };
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: 'webhook.test' });

    receiver.answer = () => ({ status: 500 });
    const failed = await webhooks('test', id);
    expect([failed.exit, failed.stdout]).toEqual([
      1,
      expect.stringContaining('not delivered: the receiver answered 500'),
    ]);
    receiver.answer = () => ({ status: 410 });
    const gone = await webhooks('test', id);
    expect([gone.stdout, gone.stderr]).toEqual([
      expect.stringMatching(/^delivery \S+: dead: the receiver answered 410.*\n$/),
      tested.stderr,
    ]);
    await database.pool.query('UPDATE webhooks SET enabled = true, disabled_reason = NULL');
    const listed = await webhooks('list');
    expect(listed.stdout).toMatch(/failing.*job\.completed/);
    expect(listed.stdout + (await webhooks('show', id, '--json')).stdout).not.toContain(secret);
  });

  test('shows deliveries and replays them, one by one, the dead ones, or since a time', async () => {
    const { id } = await made();
    const delivery = await sendTest(database.pool, id);
    await database.pool.query(
      `UPDATE webhook_deliveries SET status = 'dead', attempts = 1, last_error = 'because'`,
    );
    expect((await webhooks('deliveries', id, '--status', 'dead')).stdout).toMatch(
      /webhook\.test +dead +1 .*because/,
    );
    expect((await webhooks('deliveries', id, delivery.id)).stdout).toContain('"type": "webhook.test"');
    expect((await webhooks('show', id)).stdout).toMatch(/dead +1\n.*replay \S+ --dead/s);
    expect((await webhooks('replay', id, '--dead')).stdout).toContain('1 will be sent again\n');
    expect((await webhooks('replay', id, '--dead')).stdout).toContain('0 will be sent again; none is dead\n');
    await database.pool.query(`UPDATE webhook_deliveries SET status = 'delivered'`);
    expect((await webhooks('replay', id, '--since', '1h', '--json')).stdout).toBe('{"replayed":1}\n');
    const rotated = await webhooks('rotate-secret', id, '--overlap-hours', '0');
    expect(rotated.stdout).toMatch(/no longer signs\n\n {2}whsec_/);
    expect((await webhooks('remove', id)).stdout).toBe(`webhook ${id}: removed\n`);
    expect((await webhooks('list')).stdout).toMatch(/No webhooks yet/);
  });

  test.each<[string[], number, RegExp]>([
    [
      ['add', 'http://10.0.0.1/'],
      1,
      /not allowed.*HOLDFAST_ALLOW_PRIVATE=http:\/\/10\.0\.0\.1 .*webhooks add/s,
    ],
    [['add', 'nonsense'], 2, /the URL must be an absolute http or https URL/],
    [['show', 'nobody'], 3, /Webhook not found/],
    [['replay', 'nobody'], 2, /--delivery, --dead or --since/],
  ])('%j exits with %i and says what to do', async (args, exit, message) => {
    const outcome = await webhooks(...args);
    expect([outcome.exit, outcome.stderr]).toEqual([exit, expect.stringMatching(message)]);
  });
});

test('a worker delivers by itself, goes on after a kill, and sends nothing twice that was taken', async () => {
  const { secret } = await made();
  const { job } = await enqueueJob(database.pool, {
    kind: 'crawl',
    payload: { url: 'https://example.com/' },
  });
  const [claimed] = await claimJobs(database.pool, {
    lanes: [{ kind: 'crawl', executor: 'builtin', leaseSeconds: 60 }],
    limit: 1,
    workerId: 'w1',
  });
  if (!claimed) throw new Error('nothing was claimed');
  await completeJobs(database.pool, [claimed], 'supervisor:w1');
  const settings = {
    ...env(),
    MAX_CONCURRENT_JOBS: '0',
    MAX_CONCURRENT_VISITS: '0',
    HOLDFAST_POLL_SECONDS: '0.1',
  };
  const start = () => startHoldfast(['worker'], settings);

  // The first has sent it, and dies before the receiver has answered.
  receiver.answer = () => new Promise(() => {});
  const first = start();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 60_000 });
  first.kill('SIGKILL');
  await once(first, 'exit');
  receiver.answer = () => ({ status: 204 });
  await database.pool.query(
    `UPDATE webhook_deliveries SET next_attempt_at = now(), lease_expires_at = now()`,
  );
  const second = start();
  try {
    await vi.waitFor(
      async () => {
        const { rows } = await database.pool.query('SELECT status, attempts FROM webhook_deliveries');
        expect(rows).toEqual([{ status: 'delivered', attempts: 2 }]);
      },
      { timeout: 60_000 },
    );
  } finally {
    second.kill('SIGTERM');
    await once(second, 'exit');
  }
  expect(receiver.received).toHaveLength(2);
  expect(new Set(receiver.ids).size).toBe(1);
  const { headers, body } = receiver.received[1] ?? { headers: {}, body: '' };
  expect(await verifyWebhook(body, headers, secret)).toMatchObject({
    type: 'job.completed',
    data: { job_id: job.id },
  });
});
