import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendBotError } from './bot-dialect/bot-error.ts';
import { sendKnowledgeError } from './knowledge-items/knowledge-error.ts';
import { sendError } from './send-error.ts';

const dialects = [
  { paths: /^\/api\/crawl(\/|$)/, send: sendBotError },
  { paths: /^(\/api)?\/(knowledge-items|crawl-progress|progress)(\/|$)/, send: sendKnowledgeError },
];

/** Answers in the shape that clients of the address expect, where no route of theirs is there to do so. */
export function sendErrorAt(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?', 1);
  const { send } = dialects.find(({ paths }) => paths.test(path)) ?? { send: sendError };
  return send(error, request, reply);
}
