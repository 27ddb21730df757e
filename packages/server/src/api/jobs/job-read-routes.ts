import {
  eventList,
  eventListQuery,
  frontierQuery,
  frontierSummary,
  HoldfastError,
  jobParams,
  jobProgress,
} from '@holdfast/contract';
import { readProgress } from '../../crawl/frontier/read-progress.ts';
import { summariseFrontier } from '../../crawl/frontier/summarise-frontier.ts';
import { listEvents } from '../../queue/jobs/list-events.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { sendWithEtag } from '../send-with-etag.ts';
import { visibleJob } from './visible-job.ts';

const access = { scope: 'jobs:read' } as const;

/** What happened to a job, what is left of it, and how far it is. */
export const jobReadRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/:id/events',
    {
      config: { access },
      schema: {
        operationId: 'listEvents',
        tags: ['jobs'],
        summary: 'The timeline of a job, oldest first',
        params: jobParams,
        querystring: eventListQuery,
        response: { 200: eventList },
      },
    },
    async (request) => {
      const { limit, cursor = 0 } = request.query;
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      const events = await listEvents(pool, id, cursor, limit + 1);
      const data = events.slice(0, limit);
      return { data, next_cursor: events.length > limit ? String(data.at(-1)?.event_no) : null };
    },
  );

  server.get(
    '/:id/frontier',
    {
      config: { access },
      schema: {
        operationId: 'showFrontier',
        tags: ['jobs'],
        summary: 'What is left of a crawl, by host, and when and how fast it may be fetched',
        params: jobParams,
        querystring: frontierQuery,
        response: { 200: frontierSummary },
      },
    },
    async (request) => {
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      return summariseFrontier(pool, id, request.query.limit);
    },
  );

  server.get(
    '/:id/progress',
    {
      config: { access },
      schema: {
        operationId: 'showProgress',
        tags: ['jobs'],
        summary: 'How far a job is, how fast it goes, and when it may end',
        params: jobParams,
        response: { 200: jobProgress },
      },
    },
    async (request, reply) => {
      const job = await visibleJob(pool, theCaller(request), request.params.id);
      const [progress] = await readProgress(pool, [job.id]);
      // Pruned between the two.
      if (!progress) throw new HoldfastError('job_not_found', job.id);
      return sendWithEtag(request, reply, progress);
    },
  );
};
