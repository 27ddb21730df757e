import { jobParams, shownJob } from '@holdfast/contract';
import { actionsNow } from '../../ops/jobs/actions-now.ts';
import { findWait } from '../../ops/waiting/find-waits.ts';
import { readFailedStart } from '../../queue/jobs/read-failed-start.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { sendWithEtag } from '../send-with-etag.ts';
import { jobView } from './job-view.ts';
import { readCounters } from './read-counters.ts';
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
      const crawl = job.kind === 'crawl' ? await readCounters(pool, job.id) : null;
      const failedStart = await readFailedStart(pool, job.id);
      const allowed = await actionsNow(pool, job);
      const waiting = await findWait(pool, job);
      const shown = { ...jobView(job), waiting, allowed_actions: allowed, crawl, failed_start: failedStart };
      return sendWithEtag(request, reply, shown);
    },
  );
};
