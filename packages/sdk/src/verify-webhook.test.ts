import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './index.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const body =
  '{"type":"job.completed","version":1,"timestamp":"2026-01-01T00:00:00.000Z","data":{"url":"https://ü.example/"}}';
const now = 1_614_265_330_000;
const timestamp = String(now / 1000);

function sign(given: { secret?: string; id?: string; timestamp?: string; body?: string } = {}): string {
  const all = { secret, id, timestamp, body, ...given };
  const key = Buffer.from(all.secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${all.id}.${all.timestamp}.${all.body}`).digest('base64')}`;
}
const headers = (given: Record<string, string> = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': sign(),
  ...given,
});

describe('a delivery is taken for what it is', () => {
  test.each([
    ['text, and plain headers', body, headers()],
    ['bytes', new TextEncoder().encode(body), headers()],
    ['Headers as fetch has them', body, new Headers(headers())],
    [
      'headers in capitals, some of them lists',
      body,
      { 'Webhook-Id': id, 'Webhook-Timestamp': [timestamp], 'WEBHOOK-SIGNATURE': sign() },
    ],
    [
      'one good signature among others',
      body,
      headers({ 'webhook-signature': `v1,AAAA v1a,${'A'.repeat(88)} v2,x ${sign()}` }),
    ],
  ])('with %s', async (_, payload, given) => {
    expect(await verifyWebhook(payload, given, secret, { now })).toMatchObject({ id, type: 'job.completed' });
  });

  test('as the reference of Standard Webhooks signs it', async () => {
    const given = headers({ 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' });
    // Signed with the same id, time and secret, for the body {"test": 2432232314}: no message of ours, but well signed.
    await expect(verifyWebhook('{"test": 2432232314}', given, secret, { now })).rejects.toThrow(
      /not a message/,
    );
    await expect(verifyWebhook('{"test": 2432232315}', given, secret, { now })).rejects.toThrow(
      /no signature/,
    );
  });
});

describe('a delivery is refused', () => {
  test.each<[string, string, Record<string, string>, RegExp]>([
    ['with another body', body.replace('ü', 'u'), headers(), /no signature fits/],
    ['with another id', body, headers({ 'webhook-id': 'msg_other' }), /no signature fits/],
    [
      'with another time',
      body,
      headers({ 'webhook-timestamp': String(now / 1000 + 1) }),
      /no signature fits/,
    ],
    [
      'signed with another secret',
      body,
      headers({ 'webhook-signature': sign({ secret: 'whsec_AAAA' }) }),
      /no signature fits/,
    ],
    ['with a signature that is none', body, headers({ 'webhook-signature': 'v1,%%% v1, x' }), /no signature/],
    ['without a signature', body, headers({ 'webhook-signature': '' }), /webhook-signature is missing/],
    ['without an id', body, headers({ 'webhook-id': '' }), /webhook-id is missing/],
    ['with a time that is none', body, headers({ 'webhook-timestamp': '1e9' }), /not a time/],
  ])('%s', async (_, payload, given, why) => {
    const verified = verifyWebhook(payload, given, secret, { now });
    await expect(verified).rejects.toThrow(why);
    await expect(verified).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  test.each([301, -301])(
    'when it was sent %d seconds from now, unless that is said to be fine',
    async (seconds) => {
      const moved = { now: now + seconds * 1000 };
      await expect(verifyWebhook(body, headers(), secret, moved)).rejects.toThrow(/too far from now/);
      expect(await verifyWebhook(body, headers(), secret, { ...moved, toleranceSeconds: 600 })).toBeTruthy();
    },
  );
});

test('a secret that is none is a mistake of the receiver, not of the delivery', async () => {
  for (const none of ['', 'whsec_', 'whsec_ü'])
    await expect(verifyWebhook(body, headers(), none, { now })).rejects.toThrow(TypeError);
});
