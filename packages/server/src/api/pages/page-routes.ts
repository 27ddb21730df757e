import type { RouteGroup } from '../api-server.ts';
import { diffPageRoute } from './diff-page.ts';
import { downloadRoutes } from './download-page.ts';
import { exportPagesRoute } from './export-pages.ts';
import { listAllPagesRoute } from './list-all-pages.ts';
import { listErrorsRoute } from './list-errors.ts';
import { listPagesRoute } from './list-pages.ts';
import { showPageRoute } from './show-page.ts';

const routes = [
  listPagesRoute,
  showPageRoute,
  diffPageRoute,
  downloadRoutes,
  listErrorsRoute,
  listAllPagesRoute,
  exportPagesRoute,
];

/** What crawls brought back. */
export const pageRoutes: RouteGroup = async (server, context) => {
  for (const register of routes) await register(server, context);
};
