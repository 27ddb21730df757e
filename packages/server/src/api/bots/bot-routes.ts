import {
  type Bot,
  bot,
  botChange,
  botList,
  botListQuery,
  botOwnerQuery,
  botParams,
  createdBot,
  HoldfastError,
  newBot,
} from '@holdfast/contract';
import { changeBot } from '../../shop/bots/change-bot.ts';
import { createBot } from '../../shop/bots/create-bot.ts';
import { listBots, showBot } from '../../shop/bots/list-bots.ts';
import type { RouteGroup } from '../api-server.ts';
import { theCaller } from '../caller.ts';
import { ownerBound } from '../jobs/list-jobs.ts';

const read = { access: { scope: 'jobs:read' } } as const;
const operate = { access: { scope: 'operate' } } as const;
const tags = ['bots'];

export const botRoutes: RouteGroup = (server, { pool }) => {
  server.get(
    '/',
    {
      config: read,
      schema: {
        operationId: 'listBots',
        tags,
        summary: 'Bots, by owner and name',
        querystring: botListQuery,
        response: { 200: botList },
      },
    },
    async (request) => {
      const { enabled, user_id, limit, cursor } = request.query;
      const owner = ownerBound(theCaller(request), request.query) ?? user_id;
      const found = await listBots(pool, { owner, enabled, after: readCursor(cursor), limit: limit + 1 });
      const data = found.slice(0, limit);
      return { data, next_cursor: found.length > limit ? writeCursor(data.at(-1)) : null };
    },
  );

  server.post(
    '/',
    {
      config: operate,
      schema: {
        operationId: 'createBot',
        tags,
        summary: 'Make a bot, and a token that speaks for it alone',
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
        summary: 'One bot',
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
        summary: 'Change what a bot may do',
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

function writeCursor(last: Bot | undefined): string | null {
  return last ? Buffer.from(JSON.stringify([last.user_id, last.bot_id])).toString('base64url') : null;
}

function readCursor(cursor: string | undefined): Pick<Bot, 'user_id' | 'bot_id'> | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [user_id, bot_id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof user_id === 'string' && typeof bot_id === 'string' && !`${user_id}${bot_id}`.includes('\0'))
      return { user_id, bot_id };
  } catch {
    // falls through to the same answer: it is none of ours
  }
  throw new HoldfastError('bad_request', 'cursor must be the next_cursor of an answer');
}
