import { asInSettings, neededOrigins } from '../../queue/jobs/waiting-jobs.ts';

/** The origins that a crawl cannot do without and that this worker may not fetch. */
export function forbiddenOrigins(
  payload: Readonly<Record<string, unknown>> | null,
  allowed: readonly string[],
): string[] {
  return neededOrigins(payload).filter((origin) => !allowed.includes(asInSettings(origin)));
}
