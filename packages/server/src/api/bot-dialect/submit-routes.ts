import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import {
  type BatchItem,
  batchItem,
  botErrorAnswer,
  submitAnswer,
  submitBatchAnswer,
  submitBatchRequest,
  submitRequest,
} from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';
import type { RequestedLease } from '../../shop/bots/bot-leases.ts';
import { assertSpeaksFor, type BotCaller } from '../../shop/bots/bot-registry.ts';
import type { Submission } from '../../shop/bots/record-submissions.ts';
import { theCaller } from '../caller.ts';
import { invalidRequest } from '../check-request.ts';
import { describeError } from '../error-answers.ts';
import { type BotDesk, type BotRoute, botAccess, botCaller, botTags, json } from './bot-desk.ts';
import { botError } from './wire-format.ts';

/** A page of 5 MB with escaped quotes. */
const submitBodyLimit = 16 * 1024 * 1024;

export const submitRoute: BotRoute = (server, desk) => {
  server.post(
    '/submit',
    {
      config: botAccess,
      bodyLimit: submitBodyLimit,
      schema: {
        operationId: 'submitResult',
        tags: botTags,
        summary: 'Submit the result of a visit, or its failure',
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

const batchBodyLimit = 64 * 1024 * 1024;

export const submitBatchRoute: BotRoute = (server, desk) => {
  server.post(
    '/submit-batch',
    {
      config: botAccess,
      bodyLimit: batchBodyLimit,
      schema: {
        operationId: 'submitResults',
        tags: botTags,
        summary: 'Submit up to 100 results; each gets its own answer',
        body: submitBatchRequest,
        response: { 200: submitBatchAnswer, default: botErrorAnswer },
      },
    },
    async (request, reply) => {
      const { bot_id, items } = request.body;
      const caller = botCaller(theCaller(request));
      assertSpeaksFor(caller, bot_id);
      // Read all before submitting any, so that they are submitted in order.
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

const deflate = promisify(deflateRaw);
const maxErrorLength = 2_000;

/** Translates a submission of the dialect. */
async function readSubmission(lease: RequestedLease, said: Omit<BatchItem, 'job_id'>): Promise<Submission> {
  const { success, price, currency, title, in_stock, parsed_data, raw_html, error_msg } = said;
  if (!success || !price || !currency) {
    return {
      lease,
      outcome: { success: false, error: error_msg?.slice(0, maxErrorLength).toWellFormed() || null },
    };
  }
  const result = {
    price,
    currency,
    title: title ?? null,
    inStock: in_stock ?? null,
    parsedData: parsed_data ?? null,
    rawHtml: raw_html ? await deflate(raw_html, { level: 1 }) : null,
  };
  return { lease, outcome: { success: true, result } };
}
