import { type ApiError, type ErrorCode, errors, type FieldProblem, HoldfastError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTransient } from '../base/database/transient-errors.ts';
import { asCalled } from '../base/process/installation.ts';

/** An error as a caller sees it. Internal errors show their entry in the table only. */
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

/** Describes an error by the error table. All error formats are based on this. */
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
    // Details of internal errors may name hosts and files.
    message: status >= 500 ? message : error.message,
    // Commands are spelled as this server was started, such as `npx holdfast`.
    hint: asCalled(status >= 500 ? errors[error.code].hint : error.hint),
    ...(error.details && { details: error.details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Answers in the native format. Groups with their own format set an error handler based on reportError. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const described = reportError(error, request, reply);
  return reply.send(nativeShape(described, request.id));
}

/** Describes the error, logs it if it is internal, and sets status and headers. */
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
