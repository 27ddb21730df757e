import { canonicalOrigin } from '@holdfast/contract';

/** The origins that a crawl cannot do without and that this worker may not fetch. Read before anything is parsed. */
export function forbiddenOrigins(
  payload: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): string[] {
  const { needs_private: needed } = payload;
  if (!Array.isArray(needed)) return [];
  const origins = needed.flatMap((origin) =>
    typeof origin === 'string' ? [canonicalOrigin(origin) ?? origin] : [],
  );
  return origins.filter((origin) => !allowed.includes(origin));
}
