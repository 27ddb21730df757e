import { type PolicyKind, policyOptions } from '@holdfast/contract';
import { checkFlags } from './check-flags.ts';

/** What is not known is refused, as over HTTP: a misspelt option would be stored, and do nothing. */
export function checkOptions(
  kind: PolicyKind,
  options: Readonly<Record<string, unknown>>,
  where: string,
): void {
  // Two of a payload that are none of a user's options: one has an argument of its own, one is for whoever runs workers.
  const { url: _url, needs_private: _private, ...rest } = options;
  checkFlags(policyOptions[kind], rest, (field) => `${field} ${where}`);
}
