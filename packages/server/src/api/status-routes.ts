import { allowsScope } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { alivePaths, ReadinessCheck, readyPaths } from '../ops/metrics/readiness.ts';
import type { RouteGroup } from './api-server.ts';
import { identify } from './authenticate.ts';
import { readStatus, type Status } from './read-status.ts';
import { renderStatusPage } from './render-status-page.ts';

/**
 * Whether Holdfast is well (with its database), whether this process is alive, and whether it should be sent requests. Anybody
 * is told that; where its data is, its version and its counts are for those who operate it.
 */
export const statusRoutes: RouteGroup = (server, context) => {
  const { database, log, draining } = context;
  const readiness = new ReadinessCheck(database.pool, log, draining);
  // Those who ask at the same time get one answer.
  let reading: Promise<Status> | undefined;
  const status = () => {
    reading ??= readStatus(database, log).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  /** A key that is not good is as none: a load balancer must hear of the server, not of its key. */
  const mayOperate = async (request: FastifyRequest): Promise<boolean> => {
    try {
      return allowsScope((await identify(request, context)).key.scopes, 'operate');
    } catch {
      return false;
    }
  };
  const options = { config: { access: 'public' }, schema: { hide: true } } as const;
  server.get('/status', options, async (request, reply) => {
    const now = await status();
    return reply
      .code(now.ready ? 200 : 503)
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .send(renderStatusPage(now, await mayOperate(request)));
  });
  for (const path of ['/health', '/healthz'])
    server.get(path, options, async (request, reply) => {
      const now = await status();
      const told = (await mayOperate(request)) ? now : { ready: now.ready };
      return reply.code(now.ready ? 200 : 503).send(told);
    });
  for (const path of readyPaths)
    server.get(path, options, async (_request, reply) => {
      const now = await readiness.read();
      return reply.code(now.ready ? 200 : 503).send(now);
    });
  // Never asks the database: restarting this process would not bring that back.
  for (const path of alivePaths) server.get(path, options, async () => ({ alive: true }));
};
