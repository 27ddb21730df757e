import { describeIssues, HoldfastError, type JobKind, type JobRequest, jobRequest } from '@holdfast/contract';
import type { z } from 'zod';
import { canonicalUrl, hostOf } from '../../web/urls/canonical-url.ts';
import { checkPatterns } from '../../web/urls/check-patterns.ts';

export type CheckedRequest = z.output<typeof jobRequest> & {
  position: number;
  host: string | null;
  intake_id: string | null;
};

export function checkRequest(request: JobRequest, position: number): CheckedRequest {
  const checked = jobRequest.safeParse(request);
  // The payload is stored as sent; its readers apply the defaults.
  if (checked.success) {
    return {
      executor: 'builtin',
      ...checked.data,
      payload: request.payload,
      position,
      ...columnsOf(checked.data),
    } as CheckedRequest;
  }
  const problem = describeIssues(checked.error);
  throw new HoldfastError('bad_request', position > 0 ? `request ${position + 1}: ${problem}` : problem);
}

type Checked = z.output<typeof jobRequest>;

/** The host of a bot's visit: bots may ask for the jobs of one domain. */
function visitHost(url: string): string | null {
  const canonical = canonicalUrl(url);
  return canonical && hostOf(canonical);
}

/** The dedupe key of a collect job: one live job for each intake and source. */
export function intakeKey(intakeId: string, sourceId: string): string {
  return `intake:${intakeId}|${sourceId}`;
}

/** Validates the payload of a claimed job: jobs inserted by plain SQL have not been checked yet. */
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

/** The columns that jobs are found by. Null where nobody searches: an indexed column costs every update of the job. */
function columnsOf(checked: Checked): { host: string | null; intake_id: string | null; dedupe_key?: string } {
  if (checked.kind === 'collect') {
    const { payload, source_id } = checked;
    const intake_id = payload.intake_id ?? null;
    // One live job for each intake and source, whoever creates it.
    const isKeyed = intake_id !== null && source_id !== undefined;
    return { host: null, intake_id, ...(isKeyed && { dedupe_key: intakeKey(intake_id, source_id) }) };
  }
  const host = checked.kind === 'visit' && checked.executor === 'bot' ? visitHost(checked.payload.url) : null;
  return { host, intake_id: null };
}
