import { timingSafeEqual } from 'node:crypto';
import { type Configuration, HoldfastError, parseUrl, settings } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { csrfTokenOf } from '../queue/access/sessions.ts';

const name = 'holdfast_session';

export function sessionTokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const [, token] =
    new RegExp(`(?:^|; *)${name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(headers.cookie ?? '') ?? [];
  return token;
}

type PublicAddress = Pick<Configuration, 'publicUrl'>;

/** HttpOnly and SameSite; Secure if the public URL is https, because TLS ends at a proxy. */
export function sessionCookie({ publicUrl }: PublicAddress, token: string, maxAgeSeconds: number): string {
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : '';
  return `${name}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Writes with the cookie must come from the console: from its origin, and with its CSRF token. */
export function refuseForeignWrite(request: FastifyRequest, address: PublicAddress, token: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  refuseForeignOrigin(request, address);
  const expected = Buffer.from(csrfTokenOf(token));
  const sent = Buffer.from(String(request.headers['x-csrf-token'] ?? ''));
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected))
    throw new HoldfastError('csrf_refused');
}

/** The console's origin is the public URL, or the Host that the browser used when no proxy changes it. */
export function refuseForeignOrigin(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { publicUrl }: PublicAddress,
): void {
  const { origin, host } = headers;
  if (origin === undefined) return;
  const from = parseUrl(origin);
  if (from && (from.origin === publicUrl || (from.host === host && from.host !== hostOf(publicUrl)))) return;
  const setting = settings.publicUrl.env;
  const hint =
    publicUrl === undefined
      ? `Open the console at the address that \`holdfast up\` printed. Behind a proxy, set ${setting} to the address that browsers use, such as https://holdfast.example, and restart.`
      : `Open the console at ${publicUrl}. If browsers reach it elsewhere, correct ${setting} and restart.`;
  throw new HoldfastError('csrf_refused', 'the console was opened at an unknown address', { hint });
}

function hostOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : parseUrl(address)?.host;
}
