import { allowsScope } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { alivePaths, ReadinessCheck, readyPaths } from '../ops/metrics/readiness.ts';
import { SystemGauges } from '../ops/metrics/system-gauges.ts';
import { StatsReader } from '../ops/stats/stats-reader.ts';
import { identify } from './authenticate.ts';
import type { RouteGroup } from './route-group.ts';
import { readStatus, renderStatusPage, type Status } from './status-page.ts';

/**
 * Health of Holdfast with its database, liveness of this process, and readiness for requests. These are public; version,
 * database and counts are for operators.
 */
export const statusRoutes: RouteGroup = (server, context) => {
  const { database, log, draining } = context;
  const readiness = new ReadinessCheck(database.pool, log, draining);
  // Concurrent requests share one answer.
  let reading: Promise<Status> | undefined;
  const status = () => {
    reading ??= readStatus(database, log).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  /** An invalid key counts as none: a load balancer must learn about the server, not about its key. */
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
      const body = (await mayOperate(request)) ? now : { ready: now.ready };
      return reply.code(now.ready ? 200 : 503).send(body);
    });
  for (const path of readyPaths)
    server.get(path, options, async (_request, reply) => {
      const now = await readiness.read();
      return reply.code(now.ready ? 200 : 503).send(now);
    });
  // Without the database: restarting this process would not repair that.
  for (const path of alivePaths) server.get(path, options, async () => ({ alive: true }));
};

/** For Prometheus. Covers all owners, so it needs an operator key. */
export const metricsRoutes: RouteGroup = (server, { pool, configuration, metrics }) => {
  const gauges = new SystemGauges(metrics.registry, pool, new StatsReader({ db: pool, configuration }));
  server.get(
    '/metrics',
    { config: { access: { scope: 'operate' } }, schema: { hide: true } },
    async (_request, reply) => {
      await gauges.read();
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    },
  );
};
