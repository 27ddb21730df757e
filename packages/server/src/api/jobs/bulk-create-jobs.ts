import { bulkCreateRequest, createdJobs, HoldfastError } from '@holdfast/contract';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { jobView } from './job-view.ts';

export const bulkCreateRoute: RouteGroup = (server, context) => {
  server.post(
    '/bulk-create',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        operationId: 'bulkCreateJobs',
        tags: ['jobs'],
        summary: 'Make up to 1,000 jobs, all or none',
        description: 'The answers come in the order of the requests.',
        body: bulkCreateRequest,
        response: { 200: createdJobs, 201: createdJobs },
      },
    },
    async (request, reply) => {
      // Ignoring it would promise what is not kept.
      if (request.headers['idempotency-key'] !== undefined) {
        throw new HoldfastError(
          'bad_request',
          'Idempotency-Key is of no use here: give each job an idempotency_key of its own',
        );
      }
      const { key, actor } = theCaller(request);
      const enqueued = await enqueueWithKey(context, key, request.body.jobs, actor);
      const isNew = enqueued.some(({ outcome }) => outcome === 'created');
      const data = enqueued.map(({ job, outcome }) => {
        if (outcome === 'conflict') throw new Error('a conflict undoes the whole');
        return { ...jobView(job), outcome };
      });
      return reply.code(isNew ? 201 : 200).send({ data });
    },
  );
};
