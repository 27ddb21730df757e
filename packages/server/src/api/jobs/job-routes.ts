import type { RouteGroup } from '../api-server.ts';
import { showJobRoute } from './show-job.ts';

export const jobRoutes: RouteGroup = async (server, context) => {
  for (const register of [showJobRoute]) await register(server, context);
};
