import { type ApiKey, HoldfastError } from '@holdfast/contract';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { countRequest } from '../queue/access/key-quotas.ts';
import { findSession } from '../queue/access/sessions.ts';
import { type Caller, callerOf, requireScope } from './caller.ts';
import { keyWithoutKey } from './keyless.ts';
import type { ApiContext, ApiServer } from './route-group.ts';
import { refuseForeignWrite, sessionTokenOf } from './session-cookie.ts';

type AuthContext = Pick<ApiContext, 'keys' | 'pool' | 'configuration'>;

/** Checks key and scope before the body is read. Errors have the shape of the route. */
export async function authenticate(request: FastifyRequest, context: AuthContext): Promise<void> {
  if (request.is404) return;
  const { access } = request.routeOptions.config;
  if (access === 'public') return;
  if (!access) throw new HoldfastError('internal_error', `${request.routeOptions.url} declares no access`);
  const caller = await identify(request, context);
  requireScope(caller, access.scope);
  request.caller = caller;
}

/** Identifies the caller, and counts the request against the quota of the key. */
export async function identify(request: FastifyRequest, context: AuthContext): Promise<Caller> {
  const key = await keyOf(request, context);
  await countRequest(context.pool, key);
  return callerOf(key);
}

/** An API key takes precedence over the console's cookie, and both over HOLDFAST_KEYLESS. */
async function keyOf(request: FastifyRequest, { keys, pool, configuration }: AuthContext): Promise<ApiKey> {
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

declare module 'fastify' {
  interface FastifyInstance {
    /** All routes; tests call each of them. */
    registeredRoutes: readonly RouteOptions[];
  }
}

/** Refuses to start if a route does not declare its access. */
export function requireAccess(server: ApiServer): void {
  const routes: RouteOptions[] = [];
  server.decorate('registeredRoutes', routes);
  server.addHook('onRoute', (route) => {
    routes.push(route);
  });
  // Checked when ready: routes of the documentation plugin get their access from a later hook.
  server.addHook('onReady', async () => {
    const open = routes.filter(({ config }) => config?.access === undefined);
    if (open.length === 0) return;
    throw new Error(
      `These routes declare no access: ${open.map(({ method, url }) => `${method} ${url}`).join(', ')}`,
    );
  });
}
