import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import type { SecretKey, SecretKeys } from './secret-keys.ts';

/* version (1 byte), id of the key (8), nonce (12), tag (16), ciphertext. AES-256-GCM. */
const version = 1;
const nonceAt = 9;
const tagAt = 21;
const textAt = 37;

/** Encrypts a text. Decryption needs the key and the same context, such as the id of its row. */
export function seal({ id, key }: SecretKey, text: string, context: string): Buffer {
  const nonce = randomBytes(tagAt - nonceAt);
  const head = Buffer.concat([Buffer.from([version]), Buffer.from(id, 'hex')]);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.concat([head, Buffer.from(context)]));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), sealed]);
}

/** Throws `secret_key_missing` or `secret_damaged`. */
export function unseal(keys: SecretKeys, sealed: Buffer, context: string): string {
  if (sealed.length < textAt || sealed[0] !== version)
    throw new HoldfastError('secret_damaged', 'it has an unknown form');
  const id = sealedWith(sealed);
  const found = keys.find(id);
  if (!found) throw keyMissing(keys, [id]);
  const decipher = createDecipheriv('aes-256-gcm', found.key, sealed.subarray(nonceAt, tagAt));
  decipher.setAAD(Buffer.concat([sealed.subarray(0, nonceAt), Buffer.from(context)]));
  decipher.setAuthTag(sealed.subarray(tagAt, textAt));
  try {
    return decipher.update(sealed.subarray(textAt), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new HoldfastError('secret_damaged', 'its seal is broken');
  }
}

/** The id of the key that encrypted it. */
function sealedWith(sealed: Buffer): string {
  return sealed.subarray(1, nonceAt).toString('hex');
}

export function keyMissing(keys: SecretKeys, ids: readonly string[]): HoldfastError {
  return new HoldfastError(
    'secret_key_missing',
    `the stored secrets need the key ${ids.join(', ')}, which is not in ${keys.place}`,
  );
}
