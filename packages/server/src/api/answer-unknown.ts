import { HoldfastError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { consolePage, sendConsoleFile } from './console/console-page.ts';
import { sendErrorAt } from './send-error-at.ts';

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
