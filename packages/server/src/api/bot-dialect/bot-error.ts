import type { BotError, BotErrorAnswer, ErrorCode } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DescribedError } from '../describe-error.ts';
import { reportError } from '../send-error.ts';

/** What the dialect calls an error. It knows no other words: whatever is missing here went wrong inside. */
const words: Partial<Record<ErrorCode, BotError>> = {
  bad_request: 'validation_error',
  request_too_large: 'validation_error',
  unsupported_media_type: 'validation_error',
  route_not_found: 'route_not_found',
  method_not_allowed: 'method_not_allowed',
  key_missing: 'authentication_error',
  key_invalid: 'authentication_error',
  scope_missing: 'authentication_error',
  bot_not_allowed: 'authentication_error',
  job_not_found: 'job_not_found',
  job_not_locked: 'job_not_locked',
  not_assigned: 'not_assigned',
  lock_expired: 'lock_expired',
  rate_limited: 'rate_limited',
  quota_exceeded: 'rate_limited',
};

export function botError({ code, status, message, hint }: DescribedError): {
  status: number;
  answer: BotErrorAnswer;
} {
  const error = words[code] ?? 'internal_error';
  return {
    status: error === 'validation_error' ? 400 : status,
    answer: { success: false, error, detail: `${message}. ${hint}` },
  };
}

export function sendBotError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, answer } = botError(reportError(error, request, reply));
  return reply.code(status).send(answer);
}
