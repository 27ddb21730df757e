import { HoldfastError, type JobRequest, jobRequest } from '@holdfast/contract';
import { checkFlags, flagOf } from '../check-flags.ts';
import { checkOptions } from '../check-options.ts';

export interface CreateOptions {
  payload?: string;
  priority?: number;
  runAt?: string;
  dedupeKey?: string;
  idempotencyKey?: string;
  maxRetries?: number;
  timeoutSeconds?: number;
  executor?: 'builtin' | 'bot';
}

/** A request from the words of the command line; the queue checks it against the contract. */
export function readJobRequest(
  kind: JobRequest['kind'],
  url: string | undefined,
  options: CreateOptions,
): JobRequest {
  const request = {
    kind,
    payload: { ...(url === undefined ? {} : { url }), ...readPayload(options.payload) },
    priority: options.priority,
    run_at: options.runAt,
    dedupe_key: options.dedupeKey,
    idempotency_key: options.idempotencyKey,
    max_retries: options.maxRetries,
    timeout_seconds: options.timeoutSeconds,
    executor: options.executor,
  };
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  const said = Object.fromEntries(given);
  if (kind === 'collect' && !('intake_id' in request.payload)) {
    throw new HoldfastError('bad_request', 'a collect job is for an intake', {
      hint: 'Make collect jobs with: holdfast intakes enqueue ID',
    });
  }
  if (kind !== 'collect' && !('url' in request.payload)) {
    throw new HoldfastError('bad_request', 'the URL is missing', {
      hint: `Such as: holdfast jobs create ${kind} https://example.com`,
    });
  }
  checkFlags(jobRequest, said, nameOf);
  if (kind !== 'collect') checkOptions(kind, request.payload, 'in --payload');
  return said as unknown as JobRequest;
}

function nameOf(field: string): string {
  if (field === 'payload.url') return 'the URL';
  return field.startsWith('payload.') ? `${field.slice('payload.'.length)} in --payload` : flagOf(field);
}

function readPayload(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    const payload: unknown = JSON.parse(text);
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload;
  } catch {
    // falls through to the same message: it is not a JSON object
  }
  throw new HoldfastError('bad_request', '--payload must be a JSON object such as {"max_depth": 2}');
}
