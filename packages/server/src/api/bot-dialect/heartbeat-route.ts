import { botErrorAnswer, heartbeatAnswer, heartbeatRequest } from '@holdfast/contract';
import { dialectTime } from '../../shop/bots/dialect-time.ts';
import { extendLease } from '../../shop/bots/extend-lease.ts';
import { theCaller } from '../caller.ts';
import { botCaller } from './bot-desk.ts';
import { type BotRoute, botAccess, botTags } from './bot-route.ts';

export const heartbeatRoute: BotRoute = (server, desk) => {
  server.post(
    '/heartbeat',
    {
      config: botAccess,
      schema: {
        operationId: 'extendLock',
        tags: botTags,
        summary: 'Keep the lock on a job, and hear what is asked of it',
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
