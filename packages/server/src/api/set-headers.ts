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
