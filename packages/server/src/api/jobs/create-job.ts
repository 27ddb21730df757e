import { createdJob, newJob, text } from '@holdfast/contract';
import { z } from 'zod';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { jobView } from './job-view.ts';

const headers = z.object({
  'idempotency-key': text(200)
    .optional()
    .describe('repeating the request with it answers with the first job, and makes none'),
});

export const createJobRoute: RouteGroup = (server, context) => {
  server.post(
    '/',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        operationId: 'createJob',
        tags: ['jobs'],
        summary: 'Make a job',
        headers,
        body: newJob,
        response: { 200: createdJob, 201: createdJob },
      },
    },
    async (request, reply) => {
      const { key, actor } = theCaller(request);
      const idempotencyKey = request.headers['idempotency-key'];
      const [enqueued] = await enqueueWithKey(
        context,
        key,
        [{ ...request.body, ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }) }],
        actor,
      );
      if (!enqueued || enqueued.outcome === 'conflict') throw new Error('the queue gave no answer');
      const { job, outcome } = enqueued;
      return reply
        .code(outcome === 'created' ? 201 : 200)
        .header('location', `/api/v1/jobs/${job.id}`)
        .send({ ...jobView(job), outcome });
    },
  );
};
