import {
  apiWebhook,
  changedWebhook,
  createdWebhook,
  newWebhook,
  rotateSecretRequest,
  shownWebhook,
  webhookList,
  webhookListQuery,
  webhookParams,
} from '@holdfast/contract';
import {
  createWebhook,
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../../queue/webhooks/edit-webhooks.ts';
import { listWebhooks, showWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { ownerBound, ownerOf, theCaller } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';
import { deliveryRoutes } from './delivery-routes.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const write = { access: { scope: 'jobs:write' } } as const;
const tags = ['webhooks'];

export const webhookRoutes: RouteGroup = (server, context) => {
  const { pool, configuration } = context;
  const { allowPrivate } = configuration;

  server.post(
    '/',
    {
      config: write,
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Create a webhook; its secret is shown only once',
        body: newWebhook,
        response: { 201: createdWebhook },
      },
    },
    async (request, reply) => {
      const { userId } = theCaller(request);
      const webhook = await createWebhook(pool, { ...request.body, user_id: userId }, allowPrivate);
      return reply.code(201).header('location', `/api/v1/webhooks/${webhook.id}`).send(webhook);
    },
  );

  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List webhooks, newest first',
        querystring: webhookListQuery,
        response: { 200: webhookList },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      const { user_id, cursor: after, enabled, limit } = request.query;
      const owner = ownerBound(caller, { user_id }, 'webhooks') ?? user_id;
      const data = await listWebhooks(pool, { enabled, limit, after }, owner);
      return { data, next_cursor: data.length === limit ? (data.at(-1)?.id ?? null) : null };
    },
  );

  server.get(
    '/:id',
    {
      config: read,
      schema: {
        operationId: 'showWebhook',
        tags,
        summary: 'Show a webhook with its events and the state of its deliveries',
        params: webhookParams,
        response: { 200: shownWebhook },
      },
    },
    (request) => showWebhook(pool, request.params.id, ownerOf(theCaller(request))),
  );

  server.patch(
    '/:id',
    {
      config: write,
      schema: {
        operationId: 'changeWebhook',
        tags,
        summary: 'Change settings of a webhook; pending deliveries use the new ones',
        params: webhookParams,
        body: changedWebhook,
        response: { 200: apiWebhook },
      },
    },
    (request) =>
      updateWebhook(pool, request.params.id, request.body, allowPrivate, ownerOf(theCaller(request))),
  );

  server.delete(
    '/:id',
    {
      config: write,
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook; pending deliveries are dropped',
        params: webhookParams,
        response: { 200: apiWebhook },
      },
    },
    (request) => deleteWebhook(pool, request.params.id, ownerOf(theCaller(request))),
  );

  for (const enabled of [true, false]) {
    const word = enabled ? 'enable' : 'disable';
    server.post(
      `/:id/${word}`,
      {
        config: write,
        schema: {
          operationId: `${word}Webhook`,
          tags,
          summary: enabled
            ? 'Enable a webhook; pending deliveries are sent at once'
            : 'Disable a webhook; pending deliveries are kept, new events are not recorded',
          params: webhookParams,
          response: { 200: apiWebhook },
        },
      },
      (request) =>
        updateWebhook(pool, request.params.id, { enabled }, allowPrivate, ownerOf(theCaller(request))),
    );
  }

  server.post(
    '/:id/rotate-secret',
    {
      config: write,
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Replace the secret of a webhook; the old one also signs for a while',
        params: webhookParams,
        body: rotateSecretRequest,
        response: { 200: createdWebhook },
      },
    },
    (request) =>
      rotateSecret(pool, request.params.id, request.body?.overlap_hours, ownerOf(theCaller(request))),
  );

  deliveryRoutes(server, context);
};
