import type { ApiSource } from '@holdfast/contract';

const reasons: Readonly<Record<string, string>> = {
  operator: 'paused by an operator',
  failures: 'paused after failures',
  retry_after: 'paused by the site',
};

/** Why a source is blocked. */
export function pauseText({ enabled, pause_reason }: Pick<ApiSource, 'enabled' | 'pause_reason'>): string {
  if (!enabled) return 'disabled';
  return (pause_reason && reasons[pause_reason]) ?? 'paused';
}

/** How far a source is slowed below its limits; undefined if it is not. */
export function slowedText({
  pace_per_minute: pace,
}: Pick<ApiSource, 'pace_per_minute'>): string | undefined {
  return pace === null ? undefined : `slowed to ${Math.max(1, Math.round(pace))}/min`;
}

export function slowedBecause({
  slowed_share,
  slowed_answers,
}: Pick<ApiSource, 'slowed_share' | 'slowed_answers'>): string | undefined {
  if (slowed_share === null || slowed_answers === null) return undefined;
  const percent = Math.max(1, Math.round(slowed_share * 100));
  return `${percent} % of ${slowed_answers} responses were refused or failed`;
}

const troubles: Readonly<Record<string, string>> = {
  dns_failed: 'name does not resolve',
  tls_failed: 'TLS connection fails',
};

/** The problem of an unreachable host, in a few words; undefined: none. */
export function troubleTag({ trouble }: Pick<ApiSource, 'trouble'>): string | undefined {
  return trouble === null ? undefined : (troubles[trouble] ?? trouble);
}

export function troubleText(source: Pick<ApiSource, 'trouble' | 'trouble_host'>): string | undefined {
  const tag = troubleTag(source);
  return tag && `${source.trouble_host ?? 'A host'}: ${tag} (${source.trouble})`;
}
