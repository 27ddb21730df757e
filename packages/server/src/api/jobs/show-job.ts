import { jobParams, shownJob } from '@holdfast/contract';
import { readJobDetails } from '../../ops/jobs/job-details.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { sendWithEtag } from '../send-with-etag.ts';
import { jobView } from './job-view.ts';
import { visibleJob } from './visible-job.ts';

export const showJobRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/:id',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'showJob',
        tags: ['jobs'],
        summary: 'One job, what can be done to it, and how far its crawl is',
        params: jobParams,
        response: { 200: shownJob },
      },
    },
    async (request, reply) => {
      const job = await visibleJob(pool, theCaller(request), request.params.id);
      const { crawl, waiting, failedStart, actions } = await readJobDetails(pool, job);
      const shown = { ...jobView(job), waiting, allowed_actions: actions, crawl, failed_start: failedStart };
      return sendWithEtag(request, reply, shown);
    },
  );
};
