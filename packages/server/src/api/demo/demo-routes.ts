import { createdJob } from '@holdfast/contract';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { jobView } from '../jobs/job-view.ts';

/** Crawls the sample site. The one way by which the API reaches a private address, and it cannot choose which. */
export const demoRoutes: RouteGroup = (server, { sampleSite, ...context }) => {
  if (sampleSite === undefined) return;
  server.post(
    '/',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        operationId: 'runDemo',
        tags: ['jobs'],
        summary: 'Crawl the sample site that this server brings along',
        response: { 201: createdJob },
      },
    },
    async (request, reply) => {
      const { key, actor } = theCaller(request);
      const payload = { url: `${sampleSite}/`, needs_private: [sampleSite], recrawl: true };
      const [enqueued] = await enqueueWithKey(
        context,
        key,
        [{ kind: 'crawl', payload, max_retries: 3 }],
        actor,
      );
      if (!enqueued || enqueued.outcome === 'conflict') throw new Error('the queue gave no answer');
      return reply.code(201).send({ ...jobView(enqueued.job), outcome: enqueued.outcome });
    },
  );
};
