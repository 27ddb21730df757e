import { botErrorAnswer, type PullAnswer, pullAnswer, pullRequest, text } from '@holdfast/contract';
import { z } from 'zod';
import { botLeaseSeconds } from '../../queue/jobs/lane.ts';
import type { PulledJob } from '../../shop/bots/claim-for-bot.ts';
import { dialectTime } from '../../shop/bots/dialect-time.ts';
import { pullJobs } from '../../shop/bots/pull-jobs.ts';
import { theCaller } from '../caller.ts';
import { botCaller } from './bot-desk.ts';
import { type BotRoute, botAccess, botTags, json } from './bot-route.ts';

const defaultMaxJobs = 10;
const headers = z.object({
  'idempotency-key': text(200).optional().describe('repeated with it, a pull yields the same jobs again'),
});

export const pullRoute: BotRoute = (server, desk) => {
  server.post(
    '/pull',
    {
      config: botAccess,
      schema: {
        operationId: 'pullJobs',
        tags: botTags,
        summary: 'Lock jobs for a bot',
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
