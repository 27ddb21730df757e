import { apiJob, jobParams, retryUrlsRequest } from '@holdfast/contract';
import { retryUrls } from '../../crawl/frontier/retry-urls.ts';
import { retryWithKey } from '../../queue/access/jobs-with-key.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { actionPaths } from './act-on-job.ts';
import { jobView } from './job-view.ts';
import { visibleJob } from './visible-job.ts';

export const retryUrlsRoute: RouteGroup = (server, { pool, notifier }) => {
  for (const [index, path] of actionPaths('retryUrls').entries()) {
    server.post(
      `/:id/${path}`,
      {
        config: { access: { scope: 'jobs:write' } },
        schema: {
          hide: index > 0,
          operationId: 'retryJobUrls',
          tags: ['jobs'],
          summary: 'Try failed and skipped pages of a finished crawl again',
          params: jobParams,
          body: retryUrlsRequest,
          response: { 200: apiJob },
        },
      },
      async (request) => {
        const caller = theCaller(request);
        const { id } = request.params;
        await visibleJob(pool, caller, id);
        const { hashes, reasons } = request.body ?? {};
        const choice = { ...(hashes && { hashes }), ...(reasons && { reasons }) };
        const { job } = await retryWithKey(pool, caller.key, async (db) => {
          const changed = await retryUrls(db, id, choice, caller.actor);
          return { job: changed, live: [changed.id] };
        });
        await notifier.notify('requeued');
        return jobView(job);
      },
    );
  }
};
