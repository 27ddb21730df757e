import { createHmac } from 'node:crypto';
import { verifyWebhook } from '@holdfast/sdk';
import { describe, expect, test } from 'vitest';
import { sendTest } from './deliver-now.ts';
import { rotateSecret } from './edit-webhooks.ts';
import type { Received } from './testing/receiver.ts';
import { WebhookFixture } from './testing/webhook-fixture.ts';

const hooks = new WebhookFixture();

describe('a delivery', () => {
  test('is signed as Standard Webhooks are, which the SDK and anybody else can check', async () => {
    const { secret } = await hooks.hook();
    const jobId = await hooks.completed();
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
});
