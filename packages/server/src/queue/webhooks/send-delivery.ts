import { HoldfastError } from '@holdfast/contract';
import type { Fetcher } from '../../web/fetch/fetcher.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { signDelivery } from './sign-delivery.ts';

export interface SendOptions {
  readonly fetcher: Fetcher;
  readonly timeoutSeconds: number;
}

export interface SentDelivery {
  readonly delivered: boolean;
  readonly status: number | null;
  /** Why it was not taken; empty if it was. */
  readonly error: string;
  readonly retryAfterSeconds: number | undefined;
  /** The next attempt cannot fare better: the address is forbidden. */
  readonly hopeless: boolean;
  /** The receiver wants nothing more, ever. */
  readonly gone: boolean;
}

/**
 * Sends it once, over the fetcher that guards all requests. Redirects are not followed: the target was chosen by whoever
 * made the webhook. What is answered beside the status is not read, so that nobody can use us to look at a place.
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
  if (status === 410) return 'the receiver answered 410: it wants nothing more';
  if (status >= 300 && status < 400) return `the receiver answered ${status}: redirects are not followed`;
  return `the receiver answered ${status}`;
}
