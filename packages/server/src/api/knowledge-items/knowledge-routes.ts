import {
  type ApiKey,
  HoldfastError,
  knowledgeActionAnswer,
  knowledgeCrawlAnswer,
  knowledgeCrawlRequest,
  knowledgeMetadata,
  knowledgeParams,
  knowledgeProgress,
  type Policy,
  text,
  type UserAction,
} from '@holdfast/contract';
import { z } from 'zod';
import type { Queryable } from '../../base/database/statement.ts';
import { readProgress } from '../../crawl/frontier/read-progress.ts';
import { enqueueWithKey } from '../../queue/access/jobs-with-key.ts';
import { policyWithin } from '../../queue/access/policy-with-key.ts';
import { upsertPolicy } from '../../queue/policies/create-policy.ts';
import { sendWithEtag } from '../answer-headers.ts';
import { theCaller, visibleJob } from '../caller.ts';
import { act } from '../jobs/action-routes.ts';
import type { ApiContext, ApiServer, RouteGroup } from '../route-group.ts';
import {
  knowledgeProgressOf,
  knowledgeStatus,
  pollInterval,
  sendKnowledgeError,
} from './knowledge-answers.ts';

const actions = {
  pause: {
    action: 'pause',
    done: 'Crawl paused',
    asked: 'Crawl is pausing',
    summary: 'Pause a crawl',
  },
  resume: {
    action: 'resume',
    done: 'Crawl resumed',
    asked: 'Crawl is resuming',
    summary: 'Resume a paused crawl',
  },
  stop: {
    action: 'cancel',
    done: 'Crawl stopped',
    asked: 'Crawl is stopping',
    summary: 'Stop a crawl',
  },
} as const satisfies Record<string, { action: UserAction; done: string; asked: string; summary: string }>;

const tags = ['knowledge items'];

/** The crawl API of source document 001, with and without the prefix /api. `hide` keeps one of them out of OpenAPI. */
const knowledgeRoutesAt =
  (hide: boolean): RouteGroup =>
  (server, context) => {
    server.setErrorHandler(sendKnowledgeError);
    crawlRoute(server, context, hide);

    for (const [name, { action, done, asked, summary }] of Object.entries(actions)) {
      server.post(
        `/knowledge-items/${name}/:id`,
        {
          config: { access: { scope: 'jobs:write' } },
          schema: {
            hide,
            operationId: `${name}KnowledgeItem`,
            tags,
            summary,
            params: knowledgeParams,
            response: { 200: knowledgeActionAnswer },
          },
        },
        async (request) => {
          const job = await act(context, theCaller(request), action, request.params.id, {});
          const isAsked = job.status === 'processing';
          return {
            success: true as const,
            progressId: job.id,
            job_id: job.id,
            status: knowledgeStatus(job.status),
            message: isAsked ? asked : done,
          };
        },
      );
    }

    for (const [index, path] of ['/crawl-progress/:id', '/progress/:id'].entries()) {
      server.get(
        path,
        {
          config: { access: { scope: 'jobs:read' } },
          schema: {
            hide,
            operationId: index === 0 ? 'showCrawlProgress' : 'showOperationProgress',
            tags,
            summary: 'Show the progress of a crawl',
            description:
              'X-Poll-Interval is the time until the next poll in milliseconds; 0 means stop polling.',
            params: knowledgeParams,
            response: { 200: knowledgeProgress },
          },
        },
        async (request, reply) => {
          const { id } = await visibleJob(context.pool, theCaller(request), request.params.id);
          const [progress] = await readProgress(context.pool, [id]);
          // Deleted between the two statements.
          if (!progress) throw new HoldfastError('job_not_found', id);
          reply.header('x-poll-interval', pollInterval(progress.status));
          return sendWithEtag(request, reply, knowledgeProgressOf(progress));
        },
      );
    }
  };

export const knowledgeRoutes = knowledgeRoutesAt(false);
export const shortKnowledgeRoutes = knowledgeRoutesAt(true);

/** Default depth of this API. */
const defaultDepth = 2;

const headers = z.object({
  'idempotency-key': text(200)
    .optional()
    .describe('Repeating the request with the same key starts no second crawl'),
});

function crawlRoute(server: ApiServer, context: ApiContext, hide: boolean): void {
  server.post(
    '/knowledge-items/crawl',
    {
      config: { access: { scope: 'jobs:write' } },
      schema: {
        hide,
        operationId: 'crawlKnowledgeItem',
        tags: ['knowledge items'],
        summary: 'Crawl a site, once or every few days',
        headers,
        body: knowledgeCrawlRequest,
        response: { 200: knowledgeCrawlAnswer },
      },
    },
    async (request) => {
      const { key, actor } = theCaller(request);
      const { url, max_depth, update_frequency } = request.body;
      const idempotency_key = request.headers['idempotency-key'];
      const options = { max_depth: max_depth ?? defaultDepth, metadata: knowledgeMetadata(request.body) };
      const job = { kind: 'crawl' as const, payload: { url, ...options } };
      const [enqueued] = await enqueueWithKey(
        context,
        key,
        [{ ...job, ...(idempotency_key !== undefined && { idempotency_key }) }],
        actor,
        update_frequency ? (db) => repeat(db, key, url, update_frequency, options) : undefined,
      );
      if (!enqueued) throw new Error('the queue gave no answer');
      const { id } = enqueued.job;
      const message = update_frequency
        ? `Crawling started; again ${every(update_frequency)}`
        : 'Crawling started';
      return { success: true as const, progressId: id, job_id: id, message };
    },
  );
}

/** Creates the policy for later crawls. The first crawl is the job of this request. */
function repeat(
  db: Queryable,
  key: ApiKey,
  url: string,
  days: number,
  options: Record<string, unknown>,
): Promise<Policy> {
  const next = new Date(Date.now() + days * 86_400_000);
  const wanted = {
    kind: 'crawl' as const,
    url,
    user_id: key.user_id,
    frequency_hours: days * 24,
    options,
    next_run_at: next.toISOString(),
  };
  return policyWithin(db, key, async (within) => (await upsertPolicy(within, wanted)).policy);
}

function every(days: number): string {
  return days === 1 ? 'every day' : `every ${days} days`;
}
