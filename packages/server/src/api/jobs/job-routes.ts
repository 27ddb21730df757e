import type { RouteGroup } from '../api-server.ts';
import { actionRoutes } from './act-on-job.ts';
import { bulkActRoute } from './bulk-act.ts';
import { bulkCreateRoute } from './bulk-create-jobs.ts';
import { createJobRoute } from './create-job.ts';
import { deleteJobRoute } from './delete-job.ts';
import { listJobsRoute } from './list-jobs.ts';
import { retryUrlsRoute } from './retry-job-urls.ts';
import { showJobRoute } from './show-job.ts';

const routes = [
  createJobRoute,
  bulkCreateRoute,
  listJobsRoute,
  showJobRoute,
  actionRoutes,
  retryUrlsRoute,
  bulkActRoute,
  deleteJobRoute,
];

export const jobRoutes: RouteGroup = async (server, context) => {
  for (const register of routes) await register(server, context);
};
