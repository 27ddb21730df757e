import { hash } from 'node:crypto';

/** The first 128 bits of the SHA-256 of a text or of bytes, as uuid text: PostgreSQL stores it in 16 bytes. */
export function shaUuid(data: string | Uint8Array): string {
  const hex = hash('sha256', data, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
