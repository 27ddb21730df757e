import { stats, statsQuery } from '@holdfast/contract';
import { StatsReader } from '../../ops/stats/stats-reader.ts';
import { ownerBound, theCaller } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';

export const statsRoutes: RouteGroup = (server, { pool, configuration }) => {
  const reader = new StatsReader({ db: pool, configuration });
  server.get(
    '/',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'showStats',
        tags: ['stats'],
        summary: 'Where everything stands: counts, throughput, what is stuck or in trouble',
        description: `Counts are exact up to 10,000, and say so when they are not. With a key that does not see every owner,
they are of the owner's jobs, policies and bots.`,
        querystring: statsQuery,
        response: { 200: stats },
      },
    },
    async (request) => {
      const { user_id } = request.query;
      return reader.read(ownerBound(theCaller(request), { user_id }) ?? user_id);
    },
  );
};
