import {
  bulkCreateRequest,
  createdJob,
  createdJobs,
  HoldfastError,
  type NewJob,
  newJob,
  text,
} from '@holdfast/contract';
import { z } from 'zod';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import { concealSecrets } from '../../queue/profiles/unnamed-profile.ts';
import { theCaller } from '../caller.ts';
import { assertMayEvaluate } from '../evaluate-allowed.ts';
import type { ApiContext, RouteGroup } from '../route-group.ts';
import { jobView } from './job-view.ts';

const write = { access: { scope: 'jobs:write' } } as const;
const tags = ['jobs'];

const headers = z.object({
  'idempotency-key': text(200)
    .optional()
    .describe('Repeating the request with the same key answers with the first job and creates none'),
});

export const jobCreateRoutes: RouteGroup = (server, context) => {
  server.post(
    '/',
    {
      config: write,
      schema: {
        operationId: 'createJob',
        tags,
        summary: 'Create a job',
        headers,
        body: newJob,
        response: { 200: createdJob, 201: createdJob },
      },
    },
    async (request, reply) => {
      const caller = theCaller(request);
      assertMayEvaluate(context.configuration, caller, [request.body.payload]);
      const { key, actor } = caller;
      const idempotencyKey = request.headers['idempotency-key'];
      const payload = await concealed(context, key.user_id, request.body);
      const [enqueued] = await enqueueWithKey(
        context,
        key,
        [
          {
            ...request.body,
            payload,
            ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
          },
        ],
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

  server.post(
    '/bulk-create',
    {
      config: write,
      schema: {
        operationId: 'bulkCreateJobs',
        tags,
        summary: 'Create up to 1,000 jobs, all or none',
        description: 'Answers in the order of the request.',
        body: bulkCreateRequest,
        response: { 200: createdJobs, 201: createdJobs },
      },
    },
    async (request, reply) => {
      // Ignoring it would promise what is not kept.
      if (request.headers['idempotency-key'] !== undefined) {
        throw new HoldfastError(
          'bad_request',
          'Idempotency-Key is not supported here: give each job an idempotency_key of its own',
        );
      }
      const caller = theCaller(request);
      const payloads = request.body.jobs.map(({ payload }) => payload);
      assertMayEvaluate(context.configuration, caller, payloads);
      const { key, actor } = caller;
      const jobs = await Promise.all(
        request.body.jobs.map(async (job) => ({
          ...job,
          payload: await concealed(context, key.user_id, job),
        })),
      );
      const enqueued = await enqueueWithKey(context, key, jobs as typeof request.body.jobs, actor);
      const isNew = enqueued.some(({ outcome }) => outcome === 'created');
      const data = enqueued.map(({ job, outcome }) => {
        if (outcome === 'conflict') throw new Error('a conflict rolls back the whole request');
        return { ...jobView(job), outcome };
      });
      return reply.code(isNew ? 201 : 200).send({ data });
    },
  );
};

/** The payload as it is stored: without secrets. */
async function concealed(
  { pool, secrets }: Pick<ApiContext, 'pool' | 'secrets'>,
  owner: string,
  { kind, payload, ...job }: Pick<NewJob, 'kind' | 'payload'> & { executor?: string },
): Promise<never> {
  if (kind === 'collect') return payload as never;
  if (job.executor === 'bot') refuseForBots(payload);
  return (await concealSecrets(pool, secrets, owner, payload)) as never;
}

/** Bots fetch pages themselves, and secrets never leave this server. */
function refuseForBots(payload: object): void {
  const field = ['profile', 'unnamed_profile', 'headers', 'basic_auth', 'bearer_token'].find(
    (name) => name in payload,
  );
  if (field !== undefined)
    throw new HoldfastError(
      'bad_request',
      `payload.${field} is only for visits that Holdfast makes, not for those of bots`,
    );
}

/** Crawls the sample site: the only way to reach a private address through the API, and the caller cannot choose which. */
export const demoRoutes: RouteGroup = (server, { sampleSite, ...context }) => {
  if (sampleSite === undefined) return;
  server.post(
    '/',
    {
      config: write,
      schema: {
        operationId: 'runDemo',
        tags,
        summary: 'Crawl the sample site of this server',
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
