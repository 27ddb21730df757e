import type { ErrorCode, knowledgeError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { DescribedError } from '../describe-error.ts';
import { reportError } from '../send-error.ts';

/** What the dialect calls an error, where that is not our own word for it. */
const words: Partial<Record<ErrorCode, string>> = {
  bad_request: 'validation_error',
  url_invalid: 'validation_error',
  request_too_large: 'validation_error',
  unsupported_media_type: 'validation_error',
  key_missing: 'authentication_error',
  key_invalid: 'authentication_error',
  scope_missing: 'authentication_error',
};

function knowledgeErrorOf({ code, message, hint }: DescribedError): z.output<typeof knowledgeError> {
  return { success: false, error: words[code] ?? code, detail: `${message}. ${hint}` };
}

export function sendKnowledgeError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply.send(knowledgeErrorOf(reportError(error, request, reply)));
}
