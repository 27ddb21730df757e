import type { ApiSource } from '@holdfast/contract';
import type { Source } from './source.ts';

/** A source as the API shows it. What an adapter is configured with may be a secret of the operator's. */
export function sourceView(
  source: Source,
  { seesEveryOwner }: { readonly seesEveryOwner: boolean },
): ApiSource {
  const { paused_until } = source;
  return {
    ...source,
    config: seesEveryOwner ? source.config : null,
    paused_until: source.paused && source.enabled && paused_until instanceof Date ? paused_until : null,
  };
}
