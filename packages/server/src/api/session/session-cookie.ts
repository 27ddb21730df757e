import { timingSafeEqual } from 'node:crypto';
import { HoldfastError, parseUrl } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { csrfTokenOf } from '../../sessions/hash-token.ts';

const name = 'holdfast_session';

export function sessionTokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const [, token] =
    new RegExp(`(?:^|; *)${name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(headers.cookie ?? '') ?? [];
  return token;
}

/** Not readable by scripts, not sent from other sites, and only over TLS where there is TLS. */
export function sessionCookie(request: FastifyRequest, token: string, maxAgeSeconds: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${name}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** A write that carries the cookie must come from the console itself: from its origin, and with what only it can know. */
export function refuseForeignWrite(request: FastifyRequest, token: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  refuseForeignOrigin(request);
  const expected = Buffer.from(csrfTokenOf(token));
  const sent = Buffer.from(String(request.headers['x-csrf-token'] ?? ''));
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected))
    throw new HoldfastError('csrf_refused');
}

export function refuseForeignOrigin({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const { origin, host } = headers;
  if (origin === undefined) return;
  const from = parseUrl(origin);
  if (!from || from.host !== host) throw new HoldfastError('csrf_refused');
}
