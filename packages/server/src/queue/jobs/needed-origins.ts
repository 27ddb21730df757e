import { canonicalOrigin } from '@holdfast/contract';

/** The private origins that a job cannot do without, as they were written. Read before anything of it is parsed. */
export function neededOrigins(payload: Readonly<Record<string, unknown>> | null): string[] {
  const needed = payload?.needs_private;
  return Array.isArray(needed) ? needed.filter((origin) => typeof origin === 'string') : [];
}

/** In the spelling of settings, as far as it is an origin. */
export function asInSettings(origin: string): string {
  return canonicalOrigin(origin) ?? origin;
}
