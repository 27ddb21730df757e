import { describe, expect, test } from 'vitest';
import { claimDeliveries } from './claim-deliveries.ts';
import { updateWebhook } from './edit-webhooks.ts';
import { findWebhook } from './find-webhooks.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

test('a delivery that nobody comes back from is given up as well, and not held against its receiver', async () => {
  const { id } = await hooks.hook();
  await hooks.completed();
  for (let n = 0; n < 2; n++) {
    await claimDeliveries(hooks.pool, { limit: 1, leaseSeconds: 1 });
    await hooks.passTime('2 seconds');
  }
  await hooks.deliverDue(hooks.deliverer({ webhookAttempts: 2 }));
  expect(hooks.receiver.received).toEqual([]);
  expect(await hooks.deliveries()).toMatchObject([
    { status: 'dead', last_error: 'the last attempt ended without an outcome' },
  ]);
  expect(await findWebhook(hooks.pool, id)).toMatchObject({ enabled: true, failing_since: null });
  const { rows } = await hooks.pool.query('SELECT failure_streak, not_before FROM webhooks');
  expect(rows).toEqual([{ failure_streak: 0, not_before: null }]);
});

describe('a webhook', () => {
  test('that answers 410 is disabled, and told nothing more until somebody enables it', async () => {
    const { id } = await hooks.hook();
    await hooks.completed();
    hooks.receiver.answer = () => ({ status: 410 });
    await hooks.deliverDue();
    expect(await findWebhook(hooks.pool, id)).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining('410'),
    });
    await hooks.completed();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'dead', last_status: 410 }]);
    const enabled = await updateWebhook(hooks.pool, id, { enabled: true }, []);
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
    await hooks.completed();
    expect(await hooks.deliveries()).toHaveLength(2);
  });

  test('that has taken nothing for three days is disabled; what waits is sent when it is enabled', async () => {
    const { id } = await hooks.hook();
    await hooks.completed();
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
});
