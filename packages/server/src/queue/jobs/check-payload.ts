import { describeIssues, HoldfastError, type JobKind, jobRequest } from '@holdfast/contract';
import { checkPatterns } from '../../web/urls/check-patterns.ts';

/** Throws what is wrong with the payload of a claimed job: one that SQL made has been looked at by nobody. */
export function checkPayload({ kind, payload }: { readonly kind: JobKind; readonly payload: unknown }): void {
  const checked = jobRequest.safeParse({ kind, payload });
  if (!checked.success) throw new HoldfastError('payload_invalid', describeIssues(checked.error));
  if (checked.data.kind !== 'crawl') return;
  try {
    checkPatterns(checked.data.payload, 'payload');
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    throw new HoldfastError('payload_invalid', error.detail ?? error.message, { cause: error });
  }
}
