import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const standing = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // What a key may see is nobody else's, not even a cache's.
  'cache-control': 'no-store',
};

/** What every answer carries; a route that shows a page sets a policy of its own. */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ ...standing, 'x-request-id': request.id });
}

const sane = /^[A-Za-z0-9._:-]{1,100}$/;

/** The caller's own x-request-id, if it can stand in a log line; else a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}

/** Answers 304 without a body if the caller has this very answer already. For what is polled. */
export function sendWithEtag<Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  const hash = createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 27);
  const etag = `"${hash}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  const known = request.headers['if-none-match'];
  return known !== undefined && names(known, etag) ? reply.code(304).send() : reply.send(answer);
}

function names(header: string, etag: string): boolean {
  return header.split(',').some((part) => {
    const given = part.trim().replace(/^W\//, '');
    return given === etag || given === '*';
  });
}
