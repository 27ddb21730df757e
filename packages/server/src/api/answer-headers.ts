import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const standardHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Responses depend on the key and must not be cached.
  'cache-control': 'no-store',
};

/** Headers of every response. A route that serves HTML sets its own policy. */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ ...standardHeaders, 'x-request-id': request.id });
}

const loggable = /^[A-Za-z0-9._:-]{1,100}$/;

/** The caller's x-request-id if it is safe to log, otherwise a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && loggable.test(given) ? given : randomUUID();
}

/** For resources that are polled: answers 304 without a body if the caller already has this response. */
export function sendWithEtag<Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  const hash = createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 27);
  const etag = `"${hash}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  const known = request.headers['if-none-match'];
  return known !== undefined && matchesEtag(known, etag) ? reply.code(304).send() : reply.send(answer);
}

function matchesEtag(header: string, etag: string): boolean {
  return header.split(',').some((part) => {
    const given = part.trim().replace(/^W\//, '');
    return given === etag || given === '*';
  });
}
