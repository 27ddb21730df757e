import { type BotError, type BotErrorAnswer, type ErrorCode, HoldfastError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LosslessNumber, stringify } from 'lossless-json';
import { parseExactJson } from '../../shop/prices/exact-json.ts';
import { type DescribedError, reportError } from '../error-answers.ts';

/** Parses the body of a bot's request without loss: prices as written, parsed data as JSON text, other numbers as numbers. */
export function readBotBody(text: string): unknown {
  try {
    return fields(parseExactJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HoldfastError('bad_request', `the body is not JSON: ${error.message}`);
  }
}

function fields(value: unknown): unknown {
  if (!isObject(value)) return plain(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === 'price' && inner instanceof LosslessNumber) return [name, inner.value];
      if (name === 'parsed_data' && inner !== null) return [name, stringify(inner)];
      if (name === 'items' && Array.isArray(inner)) return [name, inner.map(fields)];
      return [name, plain(inner)];
    }),
  );
}

function plain(value: unknown): unknown {
  if (value instanceof LosslessNumber) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
  );
}

/** Error codes of the dialect. Errors without an entry are internal errors. */
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
