import {
  eventList,
  eventListQuery,
  frontierQuery,
  frontierSummary,
  HoldfastError,
  jobList,
  jobListQuery,
  jobParams,
  jobProgress,
  shownJob,
} from '@holdfast/contract';
import { readProgress } from '../../crawl/frontier/read-progress.ts';
import { summariseFrontier } from '../../crawl/frontier/summarise-frontier.ts';
import { readJobDetails } from '../../ops/jobs/job-details.ts';
import { listEvents } from '../../queue/jobs/find-jobs.ts';
import { searchJobs } from '../../queue/jobs/search-jobs.ts';
import { sendWithEtag } from '../answer-headers.ts';
import { ownerBound, theCaller, visibleJob } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';
import { jobView, jobViews } from './job-view.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const tags = ['jobs'];

/** Lists, single jobs, timelines, the frontier of a crawl, and progress. */
export const jobReadRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'List jobs, newest first',
        querystring: jobListQuery,
        response: { 200: jobList },
      },
    },
    async (request) => {
      const { limit, cursor, ...filter } = request.query;
      const owner = ownerBound(theCaller(request), filter);
      const { rows, next } = await searchJobs(pool, { filter, owner, limit, after: cursor });
      return { data: await jobViews(pool, rows), next_cursor: next };
    },
  );

  server.get(
    '/:id',
    {
      config: read,
      schema: {
        operationId: 'showJob',
        tags,
        summary: 'Show a job with its allowed actions and crawl counters',
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

  server.get(
    '/:id/events',
    {
      config: read,
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'List the events of a job, oldest first',
        params: jobParams,
        querystring: eventListQuery,
        response: { 200: eventList },
      },
    },
    async (request) => {
      const { limit, cursor = 0 } = request.query;
      const { id } = await visibleJob(pool, theCaller(request), request.params.id);
      const events = await listEvents(pool, id, cursor, limit + 1);
      return pageOf(events, limit, ({ event_no }) => String(event_no));
    },
  );

  server.get(
    '/:id/frontier',
    {
      config: read,
      schema: {
        operationId: 'showFrontier',
        tags,
        summary: 'Show the pending URLs of a crawl by host, with limits and delays',
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
      config: read,
      schema: {
        operationId: 'showProgress',
        tags,
        summary: 'Show the progress, rate and estimated end of a job',
        params: jobParams,
        response: { 200: jobProgress },
      },
    },
    async (request, reply) => {
      const job = await visibleJob(pool, theCaller(request), request.params.id);
      const [progress] = await readProgress(pool, [job.id]);
      // Deleted between the two statements.
      if (!progress) throw new HoldfastError('job_not_found', job.id);
      return sendWithEtag(request, reply, progress);
    },
  );
};
