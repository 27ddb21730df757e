import { allowsScope } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { alivePaths, ReadinessCheck, readyPaths } from '../ops/metrics/readiness.ts';
import { SystemGauges } from '../ops/metrics/system-gauges.ts';
import { StatsReader } from '../ops/stats/stats-reader.ts';
import { identify } from './authenticate.ts';
import type { RouteGroup } from './route-group.ts';
import { readStatus, renderStatusPage, type Status } from './status-page.ts';

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

/** For Prometheus. What it tells is of every owner, so it needs a key that sees every owner. */
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
