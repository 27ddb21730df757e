import { hash } from 'node:crypto';

/**
 * The key of a canonical URL: the first 128 bits of its SHA-256, as uuid text (PostgreSQL stores it in 16 bytes). Wide
 * enough that among 10 million URLs a collision has odds of 10^-25.
 */
export function urlHash(canonical: string): string {
  const hex = hash('sha256', canonical, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
