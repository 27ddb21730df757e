import type { RouteGroup } from './api-server.ts';
import { readStatus, type Status } from './read-status.ts';
import { renderStatusPage } from './render-status-page.ts';

/** Whether Holdfast is well, for people and for whoever restarts it. Open to all: counts, no contents. */
export const statusRoutes: RouteGroup = (server, { database, log }) => {
  // Those who ask at the same time get one answer.
  let reading: Promise<Status> | undefined;
  const status = () => {
    reading ??= readStatus(database, log).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const options = { config: { access: 'public' }, schema: { hide: true } } as const;
  server.get('/status', options, async (_request, reply) => {
    const now = await status();
    return reply
      .code(now.ready ? 200 : 503)
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .send(renderStatusPage(now));
  });
  server.get('/health', options, async (_request, reply) => {
    const now = await status();
    return reply.code(now.ready ? 200 : 503).send(now);
  });
};
