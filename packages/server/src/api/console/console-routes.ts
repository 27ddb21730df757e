import type { RouteGroup } from '../route-group.ts';
import { consoleFiles, consolePage, sendConsoleFile } from './console-files.ts';

/** Paths of the console's views, all served by one page. */
const views = [
  '/',
  '/login',
  '/jobs',
  '/jobs/*',
  '/pages',
  '/pages/*',
  '/policies',
  '/policies/*',
  '/results',
  '/results/*',
  '/sources',
  '/sources/*',
  '/intakes',
  '/intakes/*',
  '/profiles',
  '/profiles/*',
  '/bots',
  '/bots/*',
  '/workers',
  '/workers/*',
  '/keys',
  '/keys/*',
];

/** The files of the console are public; the data comes from the API, after signing in. */
export const consoleRoutes: RouteGroup = async (server) => {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
    route.schema = { ...route.schema, hide: true };
  });
  const page = consolePage();
  if (!page) {
    server.get('/', async (_request, reply) => reply.redirect('/status'));
    return;
  }
  for (const file of consoleFiles()) {
    if (file !== page)
      server.get(`/${file.path}`, async (request, reply) => sendConsoleFile(request, reply, file));
  }
  for (const view of views) {
    server.get(view, async (request, reply) => sendConsoleFile(request, reply, page));
  }
};
