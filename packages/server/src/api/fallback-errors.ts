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

/** Answers errors outside of any route in the format of the API that the path belongs to. */
export function sendErrorAt(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?', 1);
  const { send } = dialects.find(({ paths }) => paths.test(path)) ?? { send: sendError };
  return send(error, request, reply);
}

/** 404, or 405 with the allowed methods. */
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
  return sendErrorAt(new HoldfastError('method_not_allowed', `allowed: ${allowed}`), request, reply);
}

/** Whether to answer with the console's page: for people who typed an address, not for programs and their paths. */
function isBrowsing({ method, headers }: FastifyRequest, path: string): boolean {
  const wantsPage = (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html');
  // Missing scripts and images get the error as well.
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

/** Answers invalid HTTP and oversized headers, for which there is no request object. */
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
