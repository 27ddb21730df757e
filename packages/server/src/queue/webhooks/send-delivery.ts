import { createHmac, randomBytes } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import type { Fetcher } from '../../web/fetch/fetcher.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';

interface SendOptions {
  readonly fetcher: Fetcher;
  readonly timeoutSeconds: number;
}

interface SentDelivery {
  readonly delivered: boolean;
  readonly status: number | null;
  /** Why it was not delivered; empty if it was. */
  readonly error: string;
  readonly retryAfterSeconds: number | undefined;
  /** No further attempt can succeed: the address is forbidden. */
  readonly hopeless: boolean;
  /** The receiver answered 410: it wants no more deliveries. */
  readonly gone: boolean;
}

/**
 * Sends a delivery once, through the guarded fetcher. Redirects are not followed, and the body of the answer is not read, so that a
 * webhook cannot be used to probe other hosts.
 */
export async function sendDelivery(
  delivery: Pick<ClaimedDelivery, 'id' | 'payload' | 'url' | 'secrets'>,
  { fetcher, timeoutSeconds }: SendOptions,
): Promise<SentDelivery> {
  const { id, payload, url, secrets } = delivery;
  try {
    const { status, retryAfterSeconds } = await fetcher.fetch({
      url,
      body: payload,
      accept: '*/*',
      headers: { 'content-type': 'application/json', ...signDelivery(id, payload, secrets) },
      limits: { totalMs: timeoutSeconds * 1000, headersMs: timeoutSeconds * 1000 },
      acceptHead: () => false,
    });
    const delivered = status >= 200 && status < 300;
    return {
      delivered,
      status,
      error: delivered ? '' : describeStatus(status),
      retryAfterSeconds,
      hopeless: false,
      gone: status === 410,
    };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return {
      delivered: false,
      status: null,
      error: error.message,
      retryAfterSeconds: undefined,
      hopeless: error.code === 'address_forbidden' || error.code === 'url_invalid',
      gone: false,
    };
  }
}

function describeStatus(status: number): string {
  if (status === 410) return 'the receiver answered 410: it wants no more deliveries';
  if (status >= 300 && status < 400) return `the receiver answered ${status}: redirects are not followed`;
  return `the receiver answered ${status}`;
}

interface SignedHeaders extends Readonly<Record<string, string>> {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Headers that prove sender and time of the body (standardwebhooks.com, version 1.0.0). During a rotation there are two signatures;
 * one valid signature is enough.
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

const prefix = 'whsec_';

/** A new secret in the form of Standard Webhooks. */
export function makeSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** The signing key in a secret. */
function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
