import { pageParams, shownPage } from '@holdfast/contract';
import { showPage } from '../../pages/stored/show-page.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { visibleJob } from '../jobs/visible-job.ts';

export const showPageRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/jobs/:id/pages/:hash',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'showPage',
        tags: ['pages'],
        summary: 'One page with its content as markdown, its links and its structured data',
        params: pageParams,
        response: { 200: shownPage },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return showPage(pool, id, request.params.hash);
    },
  );
};
