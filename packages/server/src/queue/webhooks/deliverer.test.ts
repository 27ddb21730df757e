import { describe, expect, test, vi } from 'vitest';
import { replayDelivery, sendTest } from './deliver-now.ts';
import { backoffSeconds, pauseSeconds } from './deliverer.ts';
import { updateWebhook } from './edit-webhooks.ts';
import { findDelivery, listDeliveries } from './find-deliveries.ts';
import { findWebhook, showWebhook } from './find-webhooks.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

describe('a delivery', () => {
  test('that fails is tried again with the same id and body, later each time, until it is taken', async () => {
    const { id } = await hooks.hook();
    await hooks.completed();
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
    await hooks.completed();
    hooks.receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await hooks.deliverDue();
    expect((await hooks.deliveries())[0]?.wait).toBeGreaterThan(3500);
    await hooks.completed();
    await hooks.deliverDue();
    expect(hooks.receiver.received).toHaveLength(1);
    hooks.receiver.answer = () => ({ status: 200 });
    await hooks.passTime('2 hours');
    await hooks.deliverDue();
    expect((await hooks.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  test('is dead after its last attempt, says why, and lives again when it is replayed', async () => {
    const { id } = await hooks.hook();
    await hooks.completed();
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
    await hooks.completed();
    const held = hooks.receiver.hold();
    await hooks.deliverDue(hooks.deliverer({ webhookTimeoutSeconds: 0.2 }));
    held.open();
    expect(await hooks.deliveries()).toMatchObject([
      { status: 'pending', attempts: 1, last_status: null, last_error: expect.stringContaining('in time') },
    ]);
  });
});

describe('a webhook', () => {
  test('that does not answer holds up no other', async () => {
    const slow = await hooks.hook({ url: `${hooks.receiver.origin}/slow` });
    const quick = await hooks.hook({ url: `${hooks.receiver.origin}/quick` });
    for (let n = 0; n < 8; n++) await sendTest(hooks.pool, slow.id);
    const held = hooks.receiver.hold(({ path }) => path === '/slow');
    const deliverer = hooks.deliverer({ webhookConcurrency: 6 });
    await deliverer.turn();
    await hooks.receiver.got(4);
    expect(await deliverer.turn()).toBe(0);
    await sendTest(hooks.pool, quick.id);
    expect(await deliverer.turn()).toBe(1);
    await vi.waitFor(
      async () =>
        expect((await hooks.deliveries()).filter(({ status }) => status === 'delivered')).toMatchObject([
          { webhook_id: quick.id },
        ]),
      { timeout: 20_000 },
    );
    held.open();
    await deliverer.settled();
  });

  test('that fails is tried by a process with one delivery at a time', async () => {
    const { id } = await hooks.hook();
    for (let n = 0; n < 4; n++) await hooks.completed();
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
    for (let n = 0; n < 2; n++) await hooks.completed();
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

  test('that was removed gets nothing more', async () => {
    await hooks.hook();
    await hooks.completed();
    await hooks.pool.query('DELETE FROM webhooks');
    await hooks.deliverDue();
    expect(hooks.receiver.received).toEqual([]);
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
