import { workerList, workerListQuery } from '@holdfast/contract';
import { listWorkers } from '../../queue/workers/worker-list.ts';
import { theCaller } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const hidden = { host: null, pid: null, trouble: null, browser: null, browser_problem: null };

export const workerRoutes: RouteGroup = (server, { pool, configuration }) => {
  server.get(
    '/',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'listWorkers',
        tags: ['workers'],
        summary: 'List workers with their state and load',
        description: 'Host and process id are only shown to keys that see every owner.',
        querystring: workerListQuery,
        response: { 200: workerList },
      },
    },
    async (request) => {
      const { silent, limit, cursor } = request.query;
      const workers = await listWorkers(pool, configuration, { silent, after: cursor, limit: limit + 1 });
      const { data, next_cursor } = pageOf(workers, limit, ({ id }) => id);
      if (theCaller(request).seesEveryOwner) return { data, next_cursor };
      return {
        data: data.map((worker) => ({ ...worker, ...hidden })),
        next_cursor,
      };
    },
  );
};
