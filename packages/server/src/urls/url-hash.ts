import { shaUuid } from './sha-uuid.ts';

/**
 * The key of a canonical URL: the first 128 bits of its SHA-256. Wide enough that among 10 million URLs a collision has
 * odds of 10^-25.
 */
export function urlHash(canonical: string): string {
  return shaUuid(canonical);
}
