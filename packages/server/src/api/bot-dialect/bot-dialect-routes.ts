import {
  botErrorAnswer,
  heartbeatAnswer,
  heartbeatRequest,
  type PullAnswer,
  pullAnswer,
  pullRequest,
  text,
} from '@holdfast/contract';
import { z } from 'zod';
import { botLeaseSeconds } from '../../queue/jobs/lane.ts';
import type { PulledJob } from '../../shop/bots/claim-for-bot.ts';
import { extendLease } from '../../shop/bots/extend-lease.ts';
import { pullJobs } from '../../shop/bots/pull-jobs.ts';
import { dialectTime } from '../../shop/bots/submit-results.ts';
import { theCaller } from '../caller.ts';
import type { RouteGroup } from '../route-group.ts';
import { BotDesk, type BotRoute, botAccess, botCaller, botTags, json } from './bot-desk.ts';
import { submitBatchRoute, submitRoute } from './submit-routes.ts';
import { readBotBody, sendBotError } from './wire-format.ts';

/** The bot API of source document 004, with its own error format. */
export const botDialectRoutes: RouteGroup = (server, context) => {
  const desk = new BotDesk(context);
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => (body === '' ? undefined : readBotBody(body)),
  );
  server.setErrorHandler(sendBotError);
  server.addHook('onClose', () => desk.submissions.drain());
  for (const register of [pullRoute, submitRoute, submitBatchRoute, heartbeatRoute]) register(server, desk);
};

const defaultMaxJobs = 10;
const headers = z.object({
  'idempotency-key': text(200)
    .optional()
    .describe('Repeating a pull with the same key returns the same jobs'),
});

const pullRoute: BotRoute = (server, desk) => {
  server.post(
    '/pull',
    {
      config: botAccess,
      schema: {
        operationId: 'pullJobs',
        tags: botTags,
        summary: 'Pull jobs, each locked for the bot',
        headers,
        body: pullRequest,
        response: { 200: pullAnswer, default: botErrorAnswer },
      },
    },
    async (request, reply) => {
      const { bot_id: botId, max_jobs, domain, idempotency_key } = request.body;
      const caller = botCaller(theCaller(request));
      const { jobs, skipped } = await pullJobs(desk, caller, {
        botId,
        maxJobs: max_jobs ?? defaultMaxJobs,
        domain: domain ?? undefined,
        idempotencyKey: request.headers['idempotency-key'] ?? idempotency_key ?? undefined,
      });
      const tokens = await desk.tokens();
      const holder = { userId: caller.userId, botId };
      const pulled = jobs.map((job) => pulledJob(job, tokens.sign(job, holder)));
      const answer: PullAnswer = { success: true, data: { jobs: pulled, count: pulled.length, skipped } };
      return reply.type(json).send(JSON.stringify(answer) as never);
    },
  );
};

function pulledJob(job: PulledJob, leaseToken: string): PullAnswer['data']['jobs'][number] {
  const { id, url, priority, max_retries, timeout_seconds, retry_count, lease_expires_at } = job;
  return {
    job_id: id,
    url,
    priority,
    max_retries,
    timeout_seconds: timeout_seconds ?? botLeaseSeconds,
    retry_count,
    locked_until: dialectTime(new Date(lease_expires_at)),
    lease_token: leaseToken,
  };
}

const heartbeatRoute: BotRoute = (server, desk) => {
  server.post(
    '/heartbeat',
    {
      config: botAccess,
      schema: {
        operationId: 'extendLock',
        tags: botTags,
        summary: 'Extend the lock on a job, and receive a pause or cancel request',
        body: heartbeatRequest,
        response: { 200: heartbeatAnswer, default: botErrorAnswer },
      },
    },
    async (request) => {
      const { bot_id, ...said } = request.body;
      const lease = await desk.leaseOf(botCaller(theCaller(request)), bot_id, said);
      const { lease_expires_at, action } = await extendLease(desk.pool, lease);
      const locked_until = dialectTime(lease_expires_at);
      return { success: true as const, data: { job_id: lease.jobId, locked_until, action } };
    },
  );
};
