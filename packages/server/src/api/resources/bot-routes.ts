import {
  type Bot,
  bot,
  botChange,
  botList,
  botListQuery,
  botOwnerQuery,
  botParams,
  createdBot,
  isStorable,
  newBot,
} from '@holdfast/contract';
import { z } from 'zod';
import { changeBot, createBot, listBots, showBot } from '../../shop/bots/bot-registry.ts';
import { ownerBound, theCaller } from '../caller.ts';
import { pageOf, readCursor, writeCursor } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const operate = { access: { scope: 'operate' } } as const;
const tags = ['bots'];
const storable = z.string().refine(isStorable);
/** Owner and name of the last bot. */
const position = z.tuple([storable, storable]);

export const botRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listBots',
        tags,
        summary: 'List bots by owner and name',
        querystring: botListQuery,
        response: { 200: botList },
      },
    },
    async (request) => {
      const { enabled, user_id, limit, cursor } = request.query;
      const owner = ownerBound(theCaller(request), request.query) ?? user_id;
      const [userId, botId] = readCursor(position, cursor) ?? [];
      const after =
        userId !== undefined && botId !== undefined ? { user_id: userId, bot_id: botId } : undefined;
      const found = await listBots(pool, { owner, enabled, after, limit: limit + 1 });
      return pageOf(found, limit, ({ user_id, bot_id }) => writeCursor([user_id, bot_id]));
    },
  );

  server.post(
    '/',
    {
      config: operate,
      schema: {
        operationId: 'createBot',
        tags,
        summary: 'Create a bot and its token',
        body: newBot,
        response: { 201: createdBot },
      },
    },
    async (request, reply) => {
      const created = await createBot(pool, request.body, theCaller(request).userId);
      return reply.code(201).header('location', pathOf(created)).send(created);
    },
  );

  server.get(
    '/:bot_id',
    {
      config: read,
      schema: {
        operationId: 'showBot',
        tags,
        summary: 'Show a bot',
        params: botParams,
        querystring: botOwnerQuery,
        response: { 200: bot },
      },
    },
    async (request) => {
      const caller = theCaller(request);
      ownerBound(caller, request.query);
      return await showBot(pool, request.query.user_id ?? caller.userId, request.params.bot_id);
    },
  );

  server.patch(
    '/:bot_id',
    {
      config: operate,
      schema: {
        operationId: 'changeBot',
        tags,
        summary: 'Change settings of a bot',
        params: botParams,
        querystring: botOwnerQuery,
        body: botChange,
        response: { 200: bot },
      },
    },
    async (request) => {
      const owner = request.query.user_id ?? theCaller(request).userId;
      return await changeBot(pool, owner, request.params.bot_id, request.body);
    },
  );
};

function pathOf({ bot_id, user_id }: Bot): string {
  return `/api/v1/bots/${encodeURIComponent(bot_id)}?user_id=${encodeURIComponent(user_id)}`;
}
