import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HoldfastError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { sendBotError } from './bot-dialect/wire-format.ts';
import { consolePage, sendConsoleFile } from './console/console-files.ts';
import { describeError, nativeShape, sendError } from './error-answers.ts';
import { sendKnowledgeError } from './knowledge-items/knowledge-answers.ts';

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

/** 404, or 405 with what the address does take. */
export function answerUnknown(
  routes: readonly RouteOptions[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?', 1)[0]?.replace(/(?<=.)\/$/, '') ?? '';
  const methods = routes.filter(({ url }) => matches(url, path)).flatMap(({ method }) => method);
  if (methods.length === 0 && isBrowsing(request, path)) {
    const page = consolePage();
    if (page) return sendConsoleFile(request, reply.code(404), page);
  }
  if (methods.length === 0) return sendErrorAt(new HoldfastError('route_not_found'), request, reply);
  const allowed = [...new Set(methods)].sort().join(', ');
  reply.header('allow', allowed);
  return sendErrorAt(new HoldfastError('method_not_allowed', `it takes ${allowed}`), request, reply);
}

/** Somebody who typed an address gets a page that says so; programs, and the paths of programs, get the error. */
function isBrowsing({ method, headers }: FastifyRequest, path: string): boolean {
  const wantsPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html');
  // A missing script or picture is no page either.
  return !!wantsPage && !/^\/(api|assets|knowledge-items|crawl-progress|progress)(\/|$)|\.\w+$/.test(path);
}

function matches(pattern: string, path: string): boolean {
  if (pattern.includes('*')) return false;
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((part, index) => part === given[index] || (part.startsWith(':') && given[index] !== ''))
  );
}

/** Answers what is not even HTTP, or too much of it, before there is a request to speak of. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const described = describeError(
    new HoldfastError(
      isTooLarge ? 'request_too_large' : 'bad_request',
      isTooLarge ? 'its headers' : 'not HTTP',
    ),
  );
  const status = isTooLarge ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : described.status;
  const body = JSON.stringify(nativeShape(described, randomUUID()));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
