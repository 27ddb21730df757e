import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

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
