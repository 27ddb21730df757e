import {
  deliveryList,
  deliveryListQuery,
  deliveryParams,
  replayAnswer,
  replayRequest,
  shownDelivery,
  webhookDelivery,
  webhookParams,
} from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { replayDelivery, sendTest } from '../../queue/webhooks/deliver-now.ts';
import { findDelivery, listDeliveries } from '../../queue/webhooks/find-deliveries.ts';
import { findWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { replayDeliveries } from '../../queue/webhooks/replay-deliveries.ts';
import { ownerOf, theCaller } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const write = { access: { scope: 'jobs:write' } } as const;
const tags = ['webhooks'];
/** A longer replay returns a cursor with which the caller continues. */
const patienceMs = 20_000;

export const deliveryRoutes: RouteGroup = (server, { pool }) => {
  /** Throws unless the caller may see the webhook. */
  const check = (request: FastifyRequest, id: string) => findWebhook(pool, id, ownerOf(theCaller(request)));

  server.post(
    '/:id/test',
    {
      config: write,
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a webhook.test event; a worker delivers it within about a second',
        params: webhookParams,
        response: { 202: webhookDelivery },
      },
    },
    async (request, reply) => {
      const delivery = await sendTest(pool, request.params.id, ownerOf(theCaller(request)));
      return reply.code(202).send(delivery);
    },
  );

  server.get(
    '/:id/deliveries',
    {
      config: read,
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List the deliveries of a webhook, newest first',
        params: webhookParams,
        querystring: deliveryListQuery,
        response: { 200: deliveryList },
      },
    },
    async (request) => {
      const { id } = await check(request, request.params.id);
      const { status, limit, cursor: after } = request.query;
      const { rows, next } = await listDeliveries(pool, id, { status, limit, after });
      return { data: rows, next_cursor: next };
    },
  );

  server.get(
    '/:id/deliveries/:delivery_id',
    {
      config: read,
      schema: {
        operationId: 'showWebhookDelivery',
        tags,
        summary: 'Show a delivery with its payload',
        params: deliveryParams,
        response: { 200: shownDelivery },
      },
    },
    async (request) => {
      const { id } = await check(request, request.params.id);
      return findDelivery(pool, id, request.params.delivery_id);
    },
  );

  server.post(
    '/:id/deliveries/:delivery_id/replay',
    {
      config: write,
      schema: {
        operationId: 'replayWebhookDelivery',
        tags,
        summary: 'Send a delivery again with its original webhook-id, whatever its status',
        params: deliveryParams,
        response: { 202: webhookDelivery },
      },
    },
    async (request, reply) => {
      const { id } = await check(request, request.params.id);
      return reply.code(202).send(await replayDelivery(pool, id, request.params.delivery_id));
    },
  );

  server.post(
    '/:id/replay',
    {
      config: write,
      schema: {
        operationId: 'replayWebhook',
        tags,
        summary: 'Send dead deliveries of a webhook again, or all since a time',
        params: webhookParams,
        body: replayRequest,
        response: { 202: replayAnswer },
      },
    },
    async (request, reply) => {
      const { id } = await check(request, request.params.id);
      const { cursor: after, ...filter } = request.body ?? {};
      const { replayed, next } = await replayDeliveries(pool, id, filter, {
        ...(after !== undefined && { after }),
        forMs: patienceMs,
      });
      return reply.code(202).send({ replayed, next_cursor: next });
    },
  );
};
