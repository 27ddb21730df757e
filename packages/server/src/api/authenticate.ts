import { HoldfastError } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { countRequest } from '../keys/count-request.ts';
import type { ApiContext } from './api-context.ts';
import { callerOf, requireScope } from './caller.ts';

/** Lets a request through to its route, or not: before its body is read, and with the error shape of that route. */
export async function authenticate(
  request: FastifyRequest,
  { keys, pool }: Pick<ApiContext, 'keys' | 'pool'>,
): Promise<void> {
  if (request.is404) return;
  const { access } = request.routeOptions.config;
  if (access === 'public') return;
  if (!access) throw new HoldfastError('internal_error', `${request.routeOptions.url} declares no access`);
  const key = await keys.find(secretOf(request));
  await countRequest(pool, key);
  const caller = callerOf(key);
  requireScope(caller, access.scope);
  request.caller = caller;
}

function secretOf({ headers }: FastifyRequest): string {
  const { authorization, 'x-api-key': apiKey } = headers;
  const [, bearer] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  const secret = bearer ?? (typeof apiKey === 'string' ? apiKey.trim() : undefined);
  if (!secret) throw new HoldfastError('key_missing');
  return secret;
}
