import { botErrorAnswer, submitAnswer, submitRequest } from '@holdfast/contract';
import { theCaller } from '../caller.ts';
import { botCaller } from './bot-desk.ts';
import { type BotRoute, botAccess, botTags, json } from './bot-route.ts';
import { readSubmission } from './read-submission.ts';

/** A page of 5 MB, with its quotes escaped. */
const bodyLimit = 16 * 1024 * 1024;

export const submitRoute: BotRoute = (server, desk) => {
  server.post(
    '/submit',
    {
      config: botAccess,
      bodyLimit,
      schema: {
        operationId: 'submitResult',
        tags: botTags,
        summary: 'Submit what a visit brought back, or that it failed',
        body: submitRequest,
        response: { 200: submitAnswer, 201: submitAnswer, default: botErrorAnswer },
      },
    },
    async (request, reply) => {
      const { bot_id, ...said } = request.body;
      const lease = await desk.leaseOf(botCaller(theCaller(request)), bot_id, said);
      const { status, data } = await desk.submissions.submit(await readSubmission(lease, said));
      reply.code(status as 200 | 201).type(json);
      return reply.send(`{"success":true,"data":${data}}` as never);
    },
  );
};
