import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { RouteGroup } from '../api-server.ts';
import { consoleFolder } from './console-folder.ts';

/** Our own files and nothing else: crawled text that got into a page as more than text would still not run. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The addresses of the console's views; all of them are one page. */
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
  '/bots',
  '/bots/*',
  '/workers',
  '/workers/*',
  '/keys',
  '/keys/*',
];

/** The console. Its files are public: they hold no data, which only the API gives, to who is signed in. */
export const consoleRoutes: RouteGroup = async (server) => {
  const folder = consoleFolder();
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
    route.schema = { ...route.schema, hide: true };
  });
  if (!folder) {
    server.get('/', async (_request, reply) => reply.redirect('/status'));
    return;
  }
  const page = readFileSync(join(folder, 'index.html'));
  for (const view of views) {
    server.get(view, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page),
    );
  }
  await server.register(fastifyStatic, {
    root: folder,
    index: false,
    wildcard: false,
    setHeaders: (reply, path) => {
      reply.setHeader('content-security-policy', policy);
      // Built files carry a hash of their content in their name.
      const lasting = path.includes('assets') ? 'public, max-age=31536000, immutable' : 'no-cache';
      reply.setHeader('cache-control', lasting);
    },
  });
};
