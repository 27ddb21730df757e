import { type Configuration, evaluates, HoldfastError } from '@holdfast/contract';
import type { Caller } from './caller.ts';

/** Throws if the caller may not run scripts in pages (`evaluate`). */
export function assertMayEvaluate(
  { evaluate }: Pick<Configuration, 'evaluate'>,
  { seesEveryOwner }: Caller,
  payloads: readonly object[],
): void {
  if (evaluate === 'everyone' || !payloads.some(evaluates)) return;
  if (evaluate === 'operators' && seesEveryOwner) return;
  const hint = 'Use the other actions, or ask the operator: HOLDFAST_EVALUATE says who may.';
  if (evaluate === 'operators')
    throw new HoldfastError('scope_missing', 'the action evaluate needs operate', { hint });
  throw new HoldfastError('bad_request', 'actions must not have evaluate: this server does not allow it', {
    hint,
  });
}
