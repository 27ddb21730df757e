import { jobParams, pageErrors } from '@holdfast/contract';
import { listErrors } from '../../pages/stored/list-errors.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { visibleJob } from '../jobs/visible-job.ts';

export const listErrorsRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/jobs/:id/errors',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'listErrors',
        tags: ['pages'],
        summary: 'What went wrong in a crawl: failed and skipped pages by reason, with some of each',
        params: jobParams,
        response: { 200: pageErrors },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return listErrors(pool, id);
    },
  );
};
