import { session, sessionRequest } from '@holdfast/contract';
import type { FastifyReply } from 'fastify';
import {
  csrfTokenOf,
  endSession,
  findSession,
  openSession,
  useLoginLink,
} from '../../queue/access/sessions.ts';
import type { RouteGroup } from '../route-group.ts';
import { refuseForeignOrigin, refuseForeignWrite, sessionCookie, sessionTokenOf } from '../session-cookie.ts';

/** Signing in and out of the console. Public, because the caller may have no session. */
export const sessionRoutes: RouteGroup = (server, { pool, keys, configuration, log, sampleSite }) => {
  const config = { access: 'public' } as const;

  async function answer(token: string) {
    const { key, expires_at } = await findSession(pool, token);
    const { user_id, name, scopes } = key;
    const offers_demo = sampleSite !== undefined;
    return { user_id, key_name: name, scopes, csrf_token: csrfTokenOf(token), expires_at, offers_demo };
  }

  server.post(
    '/',
    {
      config,
      schema: {
        operationId: 'signIn',
        tags: ['session'],
        summary: 'Sign in to the console with an API key or a login link',
        body: sessionRequest,
        response: { 201: session },
      },
    },
    async (request, reply) => {
      refuseForeignOrigin(request, configuration);
      const { body } = request;
      const keyId = 'key' in body ? (await keys.find(body.key)).id : await useLoginLink(pool, body.link);
      const { token, expires_at } = await openSession(pool, keyId, configuration.sessionHours);
      log.info({ key: keyId, by: 'key' in body ? 'key' : 'link' }, 'Signed in to the console');
      setCookie(reply, token, Math.floor((expires_at.getTime() - Date.now()) / 1000));
      return reply.code(201).send(await answer(token));
    },
  );

  server.get(
    '/',
    {
      config,
      schema: {
        operationId: 'showSession',
        tags: ['session'],
        summary: 'Show the current session',
        response: { 200: session },
      },
    },
    async (request) => answer(sessionTokenOf(request) ?? ''),
  );

  server.delete(
    '/',
    { config, schema: { operationId: 'signOut', tags: ['session'], summary: 'Sign out of the console' } },
    async (request, reply) => {
      const token = sessionTokenOf(request);
      if (token) {
        refuseForeignWrite(request, configuration, token);
        await endSession(pool, token);
      }
      setCookie(reply, '', 0);
      return reply.code(204).send();
    },
  );

  function setCookie(reply: FastifyReply, token: string, maxAgeSeconds: number): void {
    reply.header('set-cookie', sessionCookie(configuration, token, Math.max(0, maxAgeSeconds)));
  }
};
