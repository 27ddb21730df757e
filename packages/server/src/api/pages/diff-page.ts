import { pageDiff, pageParams } from '@holdfast/contract';
import { diffPage } from '../../pages/stored/diff-page.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { visibleJob } from '../jobs/visible-job.ts';

export const diffPageRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/jobs/:id/pages/:hash/diff',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'diffPage',
        tags: ['pages'],
        summary: 'What changed in a page since the crawl that its recrawl was compared with',
        params: pageParams,
        response: { 200: pageDiff },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return diffPage(pool, id, request.params.hash);
    },
  );
};
