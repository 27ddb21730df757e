import { randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new secret, as Standard Webhooks writes them. */
export function makeSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** The bytes that sign. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
