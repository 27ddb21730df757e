import { apiKey, createdKey, keyList, keyListQuery, keyParams, keyRequest } from '@holdfast/contract';
import { createKey, listKeys, revokeKey } from '../../queue/access/keys.ts';
import { theCaller } from '../caller.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const config = { access: { scope: 'admin' } } as const;

export const keyRoutes: RouteGroup = (server, { pool, log }) => {
  server.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createKey',
        tags: ['keys'],
        summary: 'Create an API key; its secret is shown only once',
        body: keyRequest,
        response: { 201: createdKey },
      },
    },
    async (request, reply) => {
      const key = await createKey(pool, request.body);
      const { id, prefix, user_id, scopes } = key;
      log.info({ id, prefix, user_id, scopes, by: theCaller(request).key.prefix }, 'Created an API key');
      return reply.code(201).send(key);
    },
  );

  server.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listKeys',
        tags: ['keys'],
        summary: 'List API keys, newest first, including revoked and expired ones',
        querystring: keyListQuery,
        response: { 200: keyList },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      return pageOf(await listKeys(pool, limit + 1, cursor), limit, ({ id }) => id);
    },
  );

  server.post(
    '/:id/revoke',
    {
      config,
      schema: {
        operationId: 'revokeKey',
        tags: ['keys'],
        summary: 'Revoke an API key; it stops working within two seconds',
        params: keyParams,
        response: { 200: apiKey },
      },
    },
    async (request) => {
      const key = await revokeKey(pool, request.params.id);
      log.info({ id: key.id, prefix: key.prefix, by: theCaller(request).key.prefix }, 'Revoked an API key');
      return key;
    },
  );
};
