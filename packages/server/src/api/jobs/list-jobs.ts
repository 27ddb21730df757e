import { HoldfastError, type JobSearch, jobList, jobListQuery } from '@holdfast/contract';
import { searchJobs } from '../../queue/jobs/search-jobs.ts';
import type { RouteGroup } from '../api-server.ts';
import { type Caller, theCaller } from '../caller.ts';
import { jobViews } from './job-view.ts';

export const listJobsRoute: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config: { access: { scope: 'jobs:read' } },
      schema: {
        operationId: 'listJobs',
        tags: ['jobs'],
        summary: 'Jobs, the newest first',
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
};

/** The owner to whose jobs the caller is bound; undefined: none. To ask for another's is not to find none but to be refused. */
export function ownerBound({ seesEveryOwner, userId }: Caller, { user_id }: JobSearch): string | undefined {
  if (seesEveryOwner) return undefined;
  if (user_id !== undefined && user_id !== userId) {
    throw new HoldfastError('scope_missing', 'it needs operate to see jobs of other owners');
  }
  return userId;
}
