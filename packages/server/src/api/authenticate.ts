import { type ApiKey, HoldfastError } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { countRequest } from '../queue/access/key-quotas.ts';
import { findSession } from '../queue/access/sessions.ts';
import type { ApiContext } from './api-context.ts';
import { type Caller, callerOf, requireScope } from './caller.ts';
import { keyWithoutKey } from './keyless.ts';
import { refuseForeignWrite, sessionTokenOf } from './session/session-cookie.ts';

type Known = Pick<ApiContext, 'keys' | 'pool' | 'configuration'>;

/** Lets a request through to its route, or not: before its body is read, and with the error shape of that route. */
export async function authenticate(request: FastifyRequest, context: Known): Promise<void> {
  if (request.is404) return;
  const { access } = request.routeOptions.config;
  if (access === 'public') return;
  if (!access) throw new HoldfastError('internal_error', `${request.routeOptions.url} declares no access`);
  const caller = await identify(request, context);
  requireScope(caller, access.scope);
  request.caller = caller;
}

/** Who calls. The request counts against the quota of their key. */
export async function identify(request: FastifyRequest, context: Known): Promise<Caller> {
  const key = await keyOf(request, context);
  await countRequest(context.pool, key);
  return callerOf(key);
}

/** A program sends its key; the console's cookie counts only without one, and HOLDFAST_KEYLESS only without both. */
async function keyOf(request: FastifyRequest, { keys, pool, configuration }: Known): Promise<ApiKey> {
  const secret = secretOf(request);
  if (secret) return keys.find(secret);
  const token = sessionTokenOf(request);
  if (!token) return keyWithoutKey(request, configuration);
  refuseForeignWrite(request, configuration, token);
  return (await findSession(pool, token)).key;
}

function secretOf({ headers }: FastifyRequest): string | undefined {
  const { authorization, 'x-api-key': apiKey } = headers;
  if (authorization === undefined) return typeof apiKey === 'string' ? apiKey.trim() : undefined;
  const [, bearer] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!bearer) throw new HoldfastError('key_missing');
  return bearer;
}
