import type { RouteOptions } from 'fastify';
import type { ApiServer } from './api-server.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is; tests call them all. */
    registeredRoutes: readonly RouteOptions[];
  }
}

/** The server does not start with a route that says nothing about who may call it. */
export function requireAccess(server: ApiServer): void {
  const routes: RouteOptions[] = [];
  server.decorate('registeredRoutes', routes);
  server.addHook('onRoute', (route) => {
    routes.push(route);
  });
  // Not at once: the documentation's routes are a library's, and get their access from a later hook.
  server.addHook('onReady', async () => {
    const open = routes.filter(({ config }) => config?.access === undefined);
    if (open.length === 0) return;
    throw new Error(
      `These routes declare no access: ${open.map(({ method, url }) => `${method} ${url}`).join(', ')}`,
    );
  });
}
