import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfiguration } from '@holdfast/contract';
import { verifyWebhook } from '@holdfast/sdk';
import { describe, expect, test, vi } from 'vitest';
import { actor } from '../../../../test/queue-fixture/queue-fixture.ts';
import { completeJobs } from '../queue/complete-jobs.ts';
import { awaitOutcome } from './await-outcome.ts';
import { backoffSeconds, pauseSeconds } from './backoff-seconds.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { findWebhook, showWebhook } from './find-webhook.ts';
import { findDelivery, listDeliveries } from './list-deliveries.ts';
import { replayDeliveries, replayDelivery } from './replay-deliveries.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTest } from './send-test.ts';
import { settleDelivered, settleFailed } from './settle-delivery.ts';
import type { Answer, Received } from './testing/receiver.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';
import { updateWebhook } from './update-webhook.ts';

vi.setConfig({ testTimeout: 60_000 });
const hooks = new WebhookFixture();

async function completed(): Promise<string> {
  const job = await hooks.claimedOne();
  await completeJobs(hooks.pool, [job], actor);
  return job.id;
}

/** A receiver that keeps what it gets waiting until it is let go. */
function gate(): { open: (answer?: Answer) => void } {
  let open: (answer: Answer) => void = () => {};
  const opened = new Promise<Answer>((resolve) => {
    open = resolve;
  });
  hooks.receiver.answer = () => opened;
  return { open: (answer = { status: 204 }) => open(answer) };
}

const received = (count: number) =>
  vi.waitFor(() => expect(hooks.receiver.received).toHaveLength(count), { timeout: 20_000, interval: 5 });

describe('a delivery', () => {
  test('is signed as Standard Webhooks are, which the SDK and anybody else can check', async () => {
    const { secret } = await hooks.hook();
    const jobId = await completed();
    await hooks.deliverDue();
    const { headers, body } = hooks.receiver.received[0] ?? { headers: {} as Received['headers'], body: '' };
    const [delivery] = await hooks.deliveries();
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, last_status: 204, last_error: null });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': `msg_${delivery?.id}`,
      'user-agent': expect.stringMatching(/^Holdfast/),
    });
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    expect(key).toHaveLength(32);
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({
      id: `msg_${delivery?.id}`,
      type: 'job.completed',
      data: { job_id: jobId },
    });
  });

  test('is signed with both secrets while one is being changed, and with the new one alone when the old has leaked', async () => {
    const { id, secret: first } = await hooks.hook();
    const { secret: second, previous_secret_until } = await rotateSecret(hooks.pool, id);
    expect(previous_secret_until?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    await sendTest(hooks.pool, id);
    await hooks.deliverDue();
    const { secret: third } = await rotateSecret(hooks.pool, id, 0);
    await sendTest(hooks.pool, id);
    await hooks.deliverDue();
    const accepts = async (n: number, secret: string) => {
      const { body = '', headers = {} } = hooks.receiver.received[n] ?? {};
      return verifyWebhook(body, headers, secret).then(
        () => true,
        () => false,
      );
    };
    expect(await Promise.all([accepts(0, first), accepts(0, second), accepts(0, third)])).toEqual([
      true,
      true,
      false,
    ]);
    expect(await Promise.all([accepts(1, first), accepts(1, second), accepts(1, third)])).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('that fails is tried again with the same id and body, later each time, until it is taken', async () => {
    const { id } = await hooks.hook();
    await completed();
    const answers = [{ status: 500 }, { status: 404 }, { status: 200 }];
    hooks.receiver.answer = () => answers[hooks.receiver.received.length - 1] ?? { status: 500 };
    await hooks.deliverDue();
    const [first] = await hooks.deliveries();
    expect(first).toMatchObject({ status: 'pending', attempts: 1, last_status: 500 });
    expect(first?.wait).toBeGreaterThan(5);
    expect((await findWebhook(hooks.pool, id)).failing_since).not.toBeNull();
    await hooks.passTime();
    await hooks.deliverDue();
    const [second] = await hooks.deliveries();
    expect(second?.wait).toBeGreaterThan(20);
    await hooks.passTime();
    await hooks.deliverDue();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 3 }]);
    expect(new Set(hooks.receiver.ids).size).toBe(1);
    expect(new Set(hooks.receiver.received.map(({ body }) => body)).size).toBe(1);
    expect((await findWebhook(hooks.pool, id)).failing_since).toBeNull();
  });

  test('waits as long as its receiver asks, and so do the others of its webhook', async () => {
    await hooks.hook();
    await completed();
    hooks.receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await hooks.deliverDue();
    expect((await hooks.deliveries())[0]?.wait).toBeGreaterThan(3500);
    await completed();
    await hooks.deliverDue();
    expect(hooks.receiver.received).toHaveLength(1);
    hooks.receiver.answer = () => ({ status: 200 });
    await hooks.passTime('2 hours');
    await hooks.deliverDue();
    expect((await hooks.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  test('is dead after its last attempt, says why, and lives again when it is replayed', async () => {
    const { id } = await hooks.hook();
    await completed();
    hooks.receiver.answer = () => ({ status: 503 });
    const deliverer = hooks.deliverer({ webhookAttempts: 2 });
    await hooks.deliverDue(deliverer);
    await hooks.passTime();
    await hooks.deliverDue(deliverer);
    const [dead] = await hooks.deliveries();
    expect(dead).toMatchObject({ status: 'dead', attempts: 2, last_error: 'the receiver answered 503' });
    await hooks.passTime();
    await hooks.deliverDue(deliverer);
    expect(hooks.receiver.received).toHaveLength(2);
    expect((await showWebhook(hooks.pool, id)).deliveries).toEqual({ pending: 0, dead: 1 });
    hooks.receiver.answer = () => ({ status: 200 });
    await replayDelivery(hooks.pool, id, dead?.id ?? '');
    await hooks.deliverDue(deliverer);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(new Set(hooks.receiver.ids)).toEqual(new Set([`msg_${dead?.id}`]));
  });

  test('is not sent where a redirect leads', async () => {
    const other = await hooks.hook({ url: `${hooks.receiver.origin}/away` });
    await sendTest(hooks.pool, other.id);
    hooks.receiver.answer = () => ({
      status: 307,
      headers: { location: `${hooks.receiver.origin}/elsewhere` },
    });
    await hooks.deliverDue();
    expect(hooks.receiver.received.map(({ path }) => path)).toEqual(['/away']);
    expect(await hooks.deliveries()).toMatchObject([
      { status: 'pending', last_status: 307, last_error: expect.stringContaining('redirects') },
    ]);
  });

  test('is not taken by a receiver that does not answer in time', async () => {
    await hooks.hook();
    await completed();
    const held = gate();
    await hooks.deliverDue(hooks.deliverer({ webhookTimeoutSeconds: 0.2 }));
    held.open();
    expect(await hooks.deliveries()).toMatchObject([
      { status: 'pending', attempts: 1, last_status: null, last_error: expect.stringContaining('in time') },
    ]);
  });

  test('is tried by one at a time, whatever the number of those who deliver', async () => {
    await hooks.hook();
    for (let n = 0; n < 6; n++) await completed();
    let under = 0;
    const twice: string[] = [];
    const open = new Set<string>();
    hooks.receiver.answer = async ({ headers }) => {
      const id = String(headers['webhook-id']);
      if (open.has(id)) twice.push(id);
      open.add(id);
      under++;
      await delay(5);
      open.delete(id);
      under--;
      return { status: 204 };
    };
    const deliverers = Array.from({ length: 5 }, () => hooks.deliverer());
    const work = async (deliverer: (typeof deliverers)[number]) => {
      for (let turn = 0; turn < 4; turn++) {
        await deliverer.turn();
        await deliverer.settled();
      }
    };
    await Promise.all(deliverers.map(work));
    expect([twice, under]).toEqual([[], 0]);
    expect(hooks.receiver.ids).toHaveLength(6);
    expect(new Set(hooks.receiver.ids).size).toBe(6);
  });

  test('is not claimed by a second while a first is about to: it goes by, and does not wait', async () => {
    await hooks.hook();
    await completed();
    const [first, second] = [await hooks.pool.connect(), await hooks.pool.connect()];
    try {
      await first.query('BEGIN');
      expect(await claimDeliveries(first, { limit: 1, leaseSeconds: 45 })).toHaveLength(1);
      await second.query(`BEGIN; SET LOCAL lock_timeout = '5s'`);
      expect(await claimDeliveries(second, { limit: 1, leaseSeconds: 45 })).toEqual([]);
      await second.query('COMMIT');
      await first.query('COMMIT');
    } finally {
      first.release(true);
      second.release(true);
    }
  });

  test('is sent again with the same id when who sent it dies before saying so, and not before its lease has run out', async () => {
    await hooks.hook();
    await completed();
    // Sent, and then nothing: the word of success never reaches the database.
    const [claimed] = await claimDeliveries(hooks.pool, { limit: 1, leaseSeconds: 45 });
    if (!claimed) throw new Error('nothing was claimed');
    await hooks.deliverDue();
    expect(hooks.receiver.received).toEqual([]);
    await hooks.passTime('46 seconds');
    await hooks.deliverDue();
    expect(hooks.receiver.ids).toEqual([`msg_${claimed.id}`]);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, fence: 2 }]);
    const failure = { status: 500, error: 'x', retrySeconds: 1, pauseSeconds: 1, disable: null };
    expect(await settleFailed(hooks.pool, claimed, failure)).toEqual({ held: false, disabled: false });
    expect(await settleDelivered(hooks.pool, claimed, 200)).toBe(false);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', last_status: 204 }]);
  });

  test('is settled by who has it now: the word of one whose lease has run out counts no more', async () => {
    await hooks.hook();
    await completed();
    const claim = async () => (await claimDeliveries(hooks.pool, { limit: 1, leaseSeconds: 45 }))[0];
    const late = await claim();
    await hooks.passTime('46 seconds');
    const now = await claim();
    if (!late || !now) throw new Error('nothing was claimed');
    const failure = { status: 500, error: 'late', retrySeconds: null, pauseSeconds: 1, disable: 'late' };
    expect(await settleFailed(hooks.pool, late, failure)).toEqual({ held: false, disabled: false });
    expect(await settleDelivered(hooks.pool, late, 200)).toBe(false);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'pending', fence: 2, last_error: null }]);
    expect(await settleDelivered(hooks.pool, now, 200)).toBe(true);
  });

  test('that nobody comes back from is given up as well', async () => {
    await hooks.hook();
    await completed();
    for (let n = 0; n < 2; n++) {
      await claimDeliveries(hooks.pool, { limit: 1, leaseSeconds: 1 });
      await hooks.passTime('2 seconds');
    }
    await hooks.deliverDue(hooks.deliverer({ webhookAttempts: 2 }));
    expect(hooks.receiver.received).toEqual([]);
    expect(await hooks.deliveries()).toMatchObject([
      { status: 'dead', last_error: 'nobody came back from the last attempt' },
    ]);
  });
});

describe('a webhook', () => {
  test('that does not answer holds up no other', async () => {
    const slow = await hooks.hook({ url: `${hooks.receiver.origin}/slow` });
    const quick = await hooks.hook({ url: `${hooks.receiver.origin}/quick` });
    for (let n = 0; n < 8; n++) await sendTest(hooks.pool, slow.id);
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    hooks.receiver.answer = async ({ path }) => {
      if (path === '/slow') await opened;
      return { status: 204 };
    };
    const deliverer = hooks.deliverer({ webhookConcurrency: 6 });
    await deliverer.turn();
    await received(4);
    expect(await deliverer.turn()).toBe(0);
    await sendTest(hooks.pool, quick.id);
    expect(await deliverer.turn()).toBe(1);
    await vi.waitFor(async () =>
      expect((await hooks.deliveries()).filter(({ status }) => status === 'delivered')).toMatchObject([
        { webhook_id: quick.id },
      ]),
    );
    open();
    await deliverer.settled();
  });

  test('that fails is tried with one delivery at a time', async () => {
    const { id } = await hooks.hook();
    for (let n = 0; n < 4; n++) await completed();
    await hooks.pool.query('UPDATE webhooks SET failure_streak = 1, failing_since = now()');
    const deliverer = hooks.deliverer();
    expect(await deliverer.turn()).toBe(1);
    await deliverer.settled();
    expect((await findWebhook(hooks.pool, id)).failing_since).toBeNull();
    expect(await deliverer.turn()).toBe(3);
    await deliverer.settled();
  });

  test('that fails tells when what waits is really tried, and a test of it goes first', async () => {
    const { id } = await hooks.hook();
    for (let n = 0; n < 2; n++) await completed();
    await hooks.pool.query(
      `UPDATE webhooks SET failure_streak = 9, failing_since = now(), not_before = now() + interval '5 minutes'`,
    );
    const { rows } = await hooks.pool.query<{ not_before: Date }>('SELECT not_before FROM webhooks');
    const next = rows[0]?.not_before;
    const { rows: listed } = await listDeliveries(hooks.pool, id, { limit: 10 });
    expect(listed.map(({ next_attempt_at }) => next_attempt_at)).toEqual([next, next]);
    expect(await showWebhook(hooks.pool, id)).toMatchObject({ next_attempt_at: next });

    const { id: testId } = await sendTest(hooks.pool, id);
    hooks.receiver.answer = () => ({ status: 500 });
    const deliverer = hooks.deliverer();
    expect(await deliverer.turn()).toBe(1);
    await deliverer.settled();
    expect(hooks.receiver.ids).toEqual([`msg_${testId}`]);
    await updateWebhook(hooks.pool, id, { enabled: false }, []);
    expect(await showWebhook(hooks.pool, id)).toMatchObject({ next_attempt_at: null });
    expect(await findDelivery(hooks.pool, id, testId)).toMatchObject({
      status: 'pending',
      next_attempt_at: null,
    });
  });

  test('that is tested hears from a worker, or from who tests it when none is alive', async () => {
    const { id } = await hooks.hook();
    const [worker, self] = [hooks.deliverer(), hooks.deliverer()];
    const outcome = async () =>
      awaitOutcome(hooks.pool, await sendTest(hooks.pool, id), self, readConfiguration({}));
    expect(await outcome()).toMatchObject({ status: 'delivered', last_status: 204 });

    await hooks.pool.query(
      `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs)
       VALUES ('w1', 'here', 'b', 1, 's', '0', 1)`,
    );
    try {
      hooks.receiver.answer = () => ({ status: 500 });
      const sent = vi.spyOn(self, 'deliver');
      const waiting = outcome();
      await vi.waitFor(async () => expect(await worker.turn()).toBe(1), { timeout: 10_000 });
      expect(await waiting).toMatchObject({ status: 'pending', last_error: 'the receiver answered 500' });
      expect(sent).not.toHaveBeenCalled();

      // As `holdfast crawl` is: alive, and there for its own job alone.
      await hooks.pool.query('UPDATE workers SET max_jobs = 0');
      hooks.receiver.answer = () => ({ status: 204 });
      expect(await outcome()).toMatchObject({ status: 'delivered', last_status: 204 });
    } finally {
      await hooks.pool.query(`DELETE FROM workers WHERE id = 'w1'`);
    }
  });

  test('that answers 410 is disabled, and told nothing more until somebody enables it', async () => {
    const { id } = await hooks.hook();
    await completed();
    hooks.receiver.answer = () => ({ status: 410 });
    await hooks.deliverDue();
    expect(await findWebhook(hooks.pool, id)).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining('410'),
    });
    await completed();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'dead', last_status: 410 }]);
    const enabled = await updateWebhook(hooks.pool, id, { enabled: true }, []);
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
    await completed();
    expect(await hooks.deliveries()).toHaveLength(2);
  });

  test('that has taken nothing for three days is disabled; what waits is sent when it is enabled', async () => {
    const { id } = await hooks.hook();
    await completed();
    hooks.receiver.answer = () => ({ status: 500 });
    await hooks.deliverDue();
    await hooks.passTime('2 days');
    await hooks.deliverDue();
    expect((await findWebhook(hooks.pool, id)).enabled).toBe(true);
    await hooks.passTime('2 days');
    await hooks.deliverDue();
    expect(await findWebhook(hooks.pool, id)).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringMatching(/3 days.*500/),
    });
    await hooks.passTime();
    await hooks.deliverDue();
    expect(hooks.receiver.received).toHaveLength(3);
    hooks.receiver.answer = () => ({ status: 200 });
    await updateWebhook(hooks.pool, id, { enabled: true }, []);
    await hooks.deliverDue();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  test('that was removed gets nothing more', async () => {
    await hooks.hook();
    await completed();
    await hooks.pool.query('DELETE FROM webhooks');
    await hooks.deliverDue();
    expect(hooks.receiver.received).toEqual([]);
  });
});

describe('a replay', () => {
  test('of dead ones leaves the others alone; since a time, it sends all from then on', async () => {
    const { id } = await hooks.hook();
    for (let n = 0; n < 5; n++) await sendTest(hooks.pool, id);
    const all = await hooks.deliveries();
    await hooks.deliverDue();
    await hooks.pool.query(`UPDATE webhook_deliveries SET status = 'dead' WHERE id = ANY ($1)`, [
      all.slice(0, 3).map((delivery) => delivery.id),
    ]);
    const { next, replayed } = await replayDeliveries(hooks.pool, id, {}, { batch: 2, forMs: -1 });
    expect([next, replayed]).toEqual([all[1]?.id, 2]);
    expect(await replayDeliveries(hooks.pool, id, {}, { after: next ?? '', batch: 2 })).toEqual({
      next: null,
      replayed: 1,
    });
    expect((await hooks.deliveries()).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
      'pending',
      'delivered',
      'delivered',
    ]);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const past = new Date(Date.now() - 3_600_000).toISOString();
    const since = (moment: string) => replayDeliveries(hooks.pool, id, { status: 'any', since: moment });
    expect((await since(future)).replayed).toBe(0);
    expect((await since('9999-12-31T23:59:59Z')).replayed).toBe(0);
    expect((await since(past)).replayed).toBe(2);
    expect((await since('1000-01-01T00:00:00Z')).replayed).toBe(0);
    await expect(replayDeliveries(hooks.pool, id, { status: 'any' })).rejects.toThrow(/since/);
    await hooks.deliverDue();
    expect(hooks.receiver.received).toHaveLength(10);
    expect(new Set(hooks.receiver.ids).size).toBe(5);
  });

  test('of one that is being sent waits for who sends it', async () => {
    const { id } = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    const held = gate();
    const [one, other] = [hooks.deliverer(), hooks.deliverer()];
    await one.turn();
    await received(1);
    expect(await replayDelivery(hooks.pool, id, deliveryId)).toMatchObject({
      status: 'pending',
      attempts: 1,
    });
    expect(await other.turn()).toBe(0);
    held.open();
    await one.settled();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  test('of what is not there says so', async () => {
    const { id } = await hooks.hook();
    const other = await hooks.hook();
    const { id: deliveryId } = await sendTest(hooks.pool, id);
    await expect(replayDelivery(hooks.pool, other.id, deliveryId)).rejects.toThrow(/no such delivery/);
    await expect(replayDelivery(hooks.pool, id, 'x')).rejects.toThrow(/no such delivery/);
  });
});

test('waits grow by a factor, within their jitter, up to six hours; a receiver may ask for more', () => {
  expect([1, 2, 3].map((attempts) => backoffSeconds(attempts, 0, 0.5))).toEqual([10, 30, 90]);
  expect(backoffSeconds(1, 0, 0)).toBe(8);
  expect(backoffSeconds(1, 0, 1)).toBeCloseTo(12);
  expect(backoffSeconds(50, 0, 0.5)).toBe(6 * 3600);
  expect(backoffSeconds(1, 7200, 0.5)).toBe(7200);
  expect([0, 1, 5, 50].map((streak) => pauseSeconds(streak))).toEqual([1, 2, 32, 300]);
  expect(pauseSeconds(0, 60)).toBe(60);
});
