import type { Socket } from 'node:net';
import fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { requestId, setHeaders } from './answer-headers.ts';
import { authenticate, requireAccess } from './authenticate.ts';
import { acceptJson, checkInput, checkRequest } from './check-request.ts';
import { answerBroken, answerUnknown, sendErrorAt } from './fallback-errors.ts';
import { describeApi, showDocs } from './openapi.ts';
import type { ApiContext, ApiServer } from './route-group.ts';
import { routeGroups } from './routes.ts';

const bodyLimit = 2 * 1024 * 1024;
/** Time for a request to arrive, so that a slow sender cannot hold a connection forever. */
const requestTimeoutMs = 60_000;

/** The HTTP server with all its routes, not yet listening. */
export async function createServer(context: ApiContext, groups = routeGroups): Promise<ApiServer> {
  const server: ApiServer = fastify({
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    genReqId: requestId,
    bodyLimit,
    // Requests in flight finish; idle connections are closed.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: requestTimeoutMs,
    clientErrorHandler: answerBroken,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply);
      return sendErrorAt(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(checkRequest);
  server.setSerializerCompiler(serializerCompiler);
  acceptJson(server);
  closeUnusedConnections(server);

  requireAccess(server);
  server.decorateRequest('caller', null);
  server.addHook('onRequest', async (request, reply) => {
    setHeaders(request, reply);
    await authenticate(request, context);
  });
  server.addHook('preValidation', async ({ body, params, query }) => {
    checkInput(params, 'path');
    checkInput(query, 'query');
    checkInput(body, 'body');
  });
  server.addHook('onSend', async (_request, reply) => {
    // A kept-alive connection would delay the shutdown.
    if (context.stopping.aborted) reply.header('connection', 'close');
  });
  server.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    const { method, routeOptions, caller, log } = request;
    const labels = { method, route: routeOptions.url ?? 'unknown', status: `${statusCode}` };
    context.metrics.requestSeconds.observe(labels, elapsedTime / 1000);
    log.debug(
      {
        method,
        route: routeOptions.url,
        status: statusCode,
        ms: Math.round(elapsedTime),
        key: caller?.key.prefix,
      },
      'Answered a request',
    );
  });
  server.setErrorHandler(sendErrorAt);
  server.setNotFoundHandler((request, reply) => answerUnknown(server.registeredRoutes, request, reply));

  await describeApi(server);
  await server.register(async (scope) => showDocs(scope.withTypeProvider<ZodTypeProvider>()));
  for (const { prefix, register } of groups) {
    await server.register(async (scope) => register(scope.withTypeProvider<ZodTypeProvider>(), context), {
      prefix,
    });
  }
  await server.ready();
  return server;
}

/** Closes connections without a request. Browsers open them in advance, and a closing server would wait a minute for them. */
function closeUnusedConnections(server: ApiServer): void {
  const unused = new Set<Socket>();
  server.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.server.on('request', ({ socket }) => unused.delete(socket));
  server.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy();
  });
}
