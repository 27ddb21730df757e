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
        summary: 'Show counts, throughput, and what is stuck or in trouble',
        description: `Counts are exact up to 10,000; \`precision\` marks the others. Keys that do not see every owner get the counts of their
own jobs, policies and bots.`,
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
