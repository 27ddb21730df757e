import type { RouteGroup } from '../api-server.ts';
import { BotDesk } from './bot-desk.ts';
import { sendBotError } from './bot-error.ts';
import { heartbeatRoute } from './heartbeat-route.ts';
import { pullRoute } from './pull-route.ts';
import { readBotBody } from './read-bot-body.ts';
import { submitBatchRoute } from './submit-batch-route.ts';
import { submitRoute } from './submit-route.ts';

/** How bots pull and submit: the dialect of its document to the letter, with errors of its own shape. */
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
