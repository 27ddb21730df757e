import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteGroup } from '../api-server.ts';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';
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
  const files = readConsoleFiles(folder);
  const page = files.find(({ path }) => path === 'index.html');
  for (const file of files) {
    if (file !== page) server.get(`/${file.path}`, async (request, reply) => sendFile(request, reply, file));
  }
  for (const view of page ? views : []) {
    server.get(view, async (request, reply) => sendFile(request, reply, page as ConsoleFile));
  }
};

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const { path, type, body, zipped, etag } = file;
  reply
    .type(type)
    .header('content-security-policy', policy)
    // Built files carry a hash of their content in their name.
    .header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', etag)
    .header('vary', 'accept-encoding');
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(request.headers['accept-encoding'] ?? '');
  return acceptsGzip ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(body);
}
