import { canonicalOrigin } from '@holdfast/contract';

/** The origins that a crawl cannot do without and that this worker may not fetch. Read before anything is parsed. */
export function forbiddenOrigins(
  payload: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): string[] {
  const { needs_private: needed } = payload;
  if (!Array.isArray(needed)) return [];
  const isForbidden = (origin: string) => !allowed.includes(canonicalOrigin(origin) ?? origin);
  return needed.filter((origin) => typeof origin === 'string' && isForbidden(origin));
}
