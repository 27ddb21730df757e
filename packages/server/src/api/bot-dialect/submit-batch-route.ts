import { batchItem, botErrorAnswer, submitBatchAnswer, submitBatchRequest } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import { type BotCaller, speakFor } from '../../shop/bots/bot-caller.ts';
import type { Submission } from '../../shop/bots/submission.ts';
import { theCaller } from '../caller.ts';
import { describeError } from '../describe-error.ts';
import { invalidRequest } from '../invalid-request.ts';
import { type BotDesk, botCaller } from './bot-desk.ts';
import { botError } from './bot-error.ts';
import { type BotRoute, botAccess, botTags, json } from './bot-route.ts';
import { readSubmission } from './read-submission.ts';

const bodyLimit = 64 * 1024 * 1024;

export const submitBatchRoute: BotRoute = (server, desk) => {
  server.post(
    '/submit-batch',
    {
      config: botAccess,
      bodyLimit,
      schema: {
        operationId: 'submitResults',
        tags: botTags,
        summary: 'Submit up to 100 results, each answered for itself',
        body: submitBatchRequest,
        response: { 200: submitBatchAnswer, default: botErrorAnswer },
      },
    },
    async (request, reply) => {
      const { bot_id, items } = request.body;
      const caller = botCaller(theCaller(request));
      speakFor(caller, bot_id);
      // All are read before the first is submitted, so that they are submitted in their order.
      const read = await Promise.allSettled(items.map((item) => readItem(desk, caller, bot_id, item)));
      const answers = await Promise.all(
        read.map((item) =>
          (item.status === 'fulfilled' ? submitItem(desk, item.value) : Promise.reject(item.reason)).catch(
            (error: unknown) => refusal(error, request),
          ),
        ),
      );
      const accepted = answers.filter(({ isAccepted }) => isAccepted).length;
      const list = answers.map(({ text }) => text).join(',');
      const counts = `"accepted":${accepted},"refused":${answers.length - accepted}`;
      return reply.type(json).send(`{"success":true,"data":{"items":[${list}],${counts}}}` as never);
    },
  );
};

interface ItemAnswer {
  readonly isAccepted: boolean;
  readonly text: string;
}

async function readItem(desk: BotDesk, caller: BotCaller, botId: string, item: unknown): Promise<Submission> {
  const said = batchItem.safeParse(item);
  if (!said.success) throw invalidRequest(said.error);
  return await readSubmission(await desk.leaseOf(caller, botId, said.data), said.data);
}

async function submitItem(desk: BotDesk, submission: Submission): Promise<ItemAnswer> {
  const { status, data } = await desk.submissions.submit(submission);
  return { isAccepted: true, text: `{"success":true,"status_code":${status},"data":${data}}` };
}

function refusal(error: unknown, { log }: FastifyRequest): ItemAnswer {
  const described = describeError(error);
  if (described.status >= 500) log.error({ err: error, code: described.code }, 'An item of a batch failed');
  const { status, answer } = botError(described);
  return { isAccepted: false, text: JSON.stringify({ ...answer, status_code: status }) };
}
