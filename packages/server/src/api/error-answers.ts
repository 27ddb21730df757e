import { type ApiError, type ErrorCode, errors, type FieldProblem, HoldfastError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTransient } from '../base/database/transient-errors.ts';
import { asCalled } from '../base/process/installation.ts';

/** An error as a caller may see it: never a stack, never more of an inner error than its entry in the table. */
export interface DescribedError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly hint: string;
  readonly details?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
}

const databaseRetrySeconds = 2;

const byStatus: Record<number, ErrorCode> = {
  404: 'route_not_found',
  405: 'method_not_allowed',
  413: 'request_too_large',
  415: 'unsupported_media_type',
};

/** What went wrong, in terms of the error table. Every shape of error answers is made from this. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof HoldfastError) return describeKnown(error);
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const code = byStatus[statusCode] ?? 'bad_request';
    return describeKnown(new HoldfastError(code, (error as Error).message));
  }
  if (isTransient(error)) return describeKnown(new HoldfastError('database_unavailable'));
  return describeKnown(new HoldfastError('internal_error'));
}

function describeKnown(error: HoldfastError): DescribedError {
  const { http: status, message } = errors[error.code];
  const retryAfterSeconds =
    error.code === 'database_unavailable'
      ? databaseRetrySeconds
      : (error as { retryAfterSeconds?: number }).retryAfterSeconds;
  return {
    code: error.code,
    status,
    // What is special about a failure inside may name hosts and files.
    message: status >= 500 ? message : error.message,
    // A command in it can be typed as it stands where this server was started.
    hint: asCalled(status >= 500 ? errors[error.code].hint : error.hint),
    ...(error.details && { details: error.details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Answers with the native shape. A group with a shape of its own sets its own handler, and starts from reportError. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const described = reportError(error, request, reply);
  return reply.send(nativeShape(described, request.id));
}

/** Describes the error, logs it if it is ours, and sets status and headers of the answer. */
export function reportError(error: unknown, request: FastifyRequest, reply: FastifyReply): DescribedError {
  const described = describeError(error);
  if (described.status >= 500) request.log.error({ err: error, code: described.code }, 'A request failed');
  if (described.status === 401) reply.header('www-authenticate', 'Bearer realm="holdfast"');
  if (described.retryAfterSeconds !== undefined) reply.header('retry-after', described.retryAfterSeconds);
  reply.code(described.status).type('application/json; charset=utf-8').serializer(JSON.stringify);
  return described;
}

export function nativeShape({ code, message, hint, details }: DescribedError, requestId: string): ApiError {
  return {
    error: { code, message, hint, ...(details && { details: [...details] }), request_id: requestId },
  };
}
