import { createHmac } from 'node:crypto';
import { secretBytes } from './webhook-secret.ts';

export interface SignedHeaders extends Readonly<Record<string, string>> {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Headers by which a receiver knows who sent the body, and when (standardwebhooks.com, version 1.0.0). While a secret is
 * being changed there are two signatures, and one that fits is enough.
 */
export function signDelivery(
  id: string,
  body: string,
  secrets: readonly string[],
  at: Date = new Date(),
): SignedHeaders {
  const webhookId = `msg_${id}`;
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secretBytes(secret)).update(`${webhookId}.${timestamp}.${body}`);
    return `v1,${digest.digest('base64')}`;
  });
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
