import { createHash, randomBytes } from 'node:crypto';

const secretBytes = 32;
const shownCharacters = 11;
const form = /^hf_[A-Za-z0-9_-]{43}$/;

export interface NewSecret {
  readonly secret: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

export function makeSecret(): NewSecret {
  const secret = `hf_${randomBytes(secretBytes).toString('base64url')}`;
  return { secret, prefix: secret.slice(0, shownCharacters), hash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function looksLikeSecret(text: string): boolean {
  return form.test(text);
}
