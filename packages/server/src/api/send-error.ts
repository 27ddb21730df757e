import type { ApiError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DescribedError, describeError } from './describe-error.ts';

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
