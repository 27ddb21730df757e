import {
  HoldfastError,
  knowledgeActionAnswer,
  knowledgeParams,
  knowledgeProgress,
  type UserAction,
} from '@holdfast/contract';
import { readProgress } from '../../crawl/frontier/read-progress.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { act } from '../jobs/act-on-job.ts';
import { visibleJob } from '../jobs/visible-job.ts';
import { sendWithEtag } from '../send-with-etag.ts';
import { crawlRoute } from './crawl-route.ts';
import { sendKnowledgeError } from './knowledge-error.ts';
import { knowledgeProgressOf, knowledgeStatus, pollInterval } from './knowledge-status.ts';

const actions = {
  pause: {
    action: 'pause',
    done: 'Crawl paused',
    asked: 'Crawl is pausing',
    summary: 'Stop a crawl for now',
  },
  resume: {
    action: 'resume',
    done: 'Crawl resumed',
    asked: 'Crawl goes on',
    summary: 'Go on with a paused crawl',
  },
  stop: {
    action: 'cancel',
    done: 'Crawl stopped',
    asked: 'Crawl is stopping',
    summary: 'Stop a crawl for good',
  },
} as const satisfies Record<string, { action: UserAction; done: string; asked: string; summary: string }>;

const tags = ['knowledge items'];

/**
 * How clients of knowledge items start, steer and follow crawls: with and without /api before it. `hide`: the paths are
 * described once.
 */
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
            summary: 'How far a crawl is',
            description: 'X-Poll-Interval says after how many milliseconds to ask again; 0: not any more.',
            params: knowledgeParams,
            response: { 200: knowledgeProgress },
          },
        },
        async (request, reply) => {
          const { id } = await visibleJob(context.pool, theCaller(request), request.params.id);
          const [progress] = await readProgress(context.pool, [id]);
          // Pruned between the two.
          if (!progress) throw new HoldfastError('job_not_found', id);
          reply.header('x-poll-interval', pollInterval(progress.status));
          return sendWithEtag(request, reply, knowledgeProgressOf(progress));
        },
      );
    }
  };

export const knowledgeRoutes = knowledgeRoutesAt(false);
export const shortKnowledgeRoutes = knowledgeRoutesAt(true);
