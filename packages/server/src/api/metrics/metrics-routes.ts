import { SystemGauges } from '../../ops/metrics/system-gauges.ts';
import { StatsReader } from '../../ops/stats/stats-reader.ts';
import type { RouteGroup } from '../api-server.ts';

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
