import { WebhookVerificationError } from './webhook-error.ts';

/** The message of a webhook. Fields may be added; `version` changes when one is removed or changes its meaning. */
export interface WebhookMessage {
  /** Such as job.completed. */
  type: string;
  version: number;
  /** When it happened. */
  timestamp: string;
  data: Record<string, unknown>;
  /** The same in every attempt, so that receivers can ignore duplicates. */
  id: string;
}

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum age of the timestamp in seconds; default 300. */
  readonly toleranceSeconds?: number;
  /** In milliseconds. */
  readonly now?: number;
}

/**
 * Verifies signature and time of a delivery and returns its message. `payload`: the raw body, not parsed. Throws
 * WebhookVerificationError.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const signatures = read(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('webhook-timestamp is too far from now');
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const content = joined(`${id}.${timestamp}.`, payload);
  const key = await importKey(secret);
  for (const signature of signatures.split(' ')) {
    const [, encoded] = /^v1,(.+)$/.exec(signature) ?? [];
    const bytes = encoded === undefined ? undefined : fromBase64(encoded);
    // `verify` compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content))) return parse(text, id);
  }
  throw new WebhookVerificationError('no signature fits');
}

function read(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text !== 'string' || text === '') throw new WebhookVerificationError(`${name} is missing`);
  return text;
}

function importKey(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('the secret of a webhook is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function joined(start: string, payload: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [head, body] = [
    encoder.encode(start),
    typeof payload === 'string' ? encoder.encode(payload) : payload,
  ];
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parse(text: string, id: string): WebhookMessage {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null && 'type' in message)
      return { ...(message as Omit<WebhookMessage, 'id'>), id };
  } catch {
    // said below
  }
  throw new WebhookVerificationError('the body is not a message of Holdfast');
}
