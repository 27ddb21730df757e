/*
 * Every group of routes, one line each. How to add one:
 *
 * 1. Schemas: zod, in packages/contract/src/api/<noun>.ts, exported from its index. Requests are z.strictObject with every
 *    field bounded: text(max), z.int().min().max(), moment for times; in queries queryNumber, queryBoolean, queryList.
 *    Answers are z.object, moments in them `timestamp` (a Date here, text in JSON). `.meta({ id: 'Noun' })` names a schema
 *    in OpenAPI.
 * 2. Routes: api/<noun>/<noun>-routes.ts exports a RouteGroup:
 *
 *      export const policyRoutes: RouteGroup = (server, context) => {
 *        server.get('/:id', {
 *          config: { access: { scope: 'jobs:read' } },   // or access: 'public'; without it the server does not start
 *          schema: { operationId: 'showPolicy', tags: ['policies'], summary: '…', params, response: { 200: policy } },
 *        }, async (request) => {
 *          const caller = theCaller(request);            // caller.userId, caller.seesEveryOwner, caller.actor, caller.key
 *          …                                             // another owner's: 404, as if it were not there
 *        });
 *      };
 *
 * 3. Errors: throw HoldfastError; the table gives the status. A group with an error shape of its own calls
 *    server.setErrorHandler((error, request, reply) => reply.send(shape(reportError(error, request, reply)))) first; refused
 *    keys and invalid bodies arrive there too. A larger body: the route's bodyLimit. Another parser: within the group,
 *    server.removeContentTypeParser('application/json') and addContentTypeParser.
 * 4. Answers without an end (SSE) stop when context.stopping aborts. Polled ones use sendWithEtag.
 * 5. The generated tests (authorisation, fuzzing) find every route by themselves.
 */
import type { RouteGroup } from './api-server.ts';
import { botDialectRoutes } from './bot-dialect/bot-dialect-routes.ts';
import { botRoutes } from './bots/bot-routes.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { demoRoutes } from './demo/demo-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import { intakeRoutes } from './intakes/intake-routes.ts';
import { jobReadRoutes } from './jobs/job-read-routes.ts';
import { jobRoutes } from './jobs/job-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { knowledgeRoutes, shortKnowledgeRoutes } from './knowledge-items/knowledge-routes.ts';
import { metricsRoutes } from './metrics/metrics-routes.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { policyRoutes } from './policies/policy-routes.ts';
import { pricePointRoutes } from './price-points/price-point-routes.ts';
import { resultRoutes } from './results/result-routes.ts';
import { sessionRoutes } from './session/session-routes.ts';
import { sourceRoutes } from './sources/source-routes.ts';
import { statsRoutes } from './stats/stats-routes.ts';
import { statusRoutes } from './status-routes.ts';
import { valuationRoutes } from './valuations/valuation-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { workerRoutes } from './workers/worker-routes.ts';

export const routeGroups: readonly { readonly prefix: string; readonly register: RouteGroup }[] = [
  { prefix: '/', register: consoleRoutes },
  { prefix: '/', register: statusRoutes },
  { prefix: '/', register: metricsRoutes },
  { prefix: '/api/v1/jobs', register: jobRoutes },
  { prefix: '/api/v1/demo', register: demoRoutes },
  { prefix: '/api/v1/keys', register: keyRoutes },
  { prefix: '/api/session', register: sessionRoutes },
  { prefix: '/api/crawl', register: botDialectRoutes },
  { prefix: '/api/v1/bots', register: botRoutes },
  { prefix: '/api/v1', register: resultRoutes },
  { prefix: '/api/v1/policies', register: policyRoutes },
  { prefix: '/api/v1', register: eventRoutes },
  { prefix: '/api/v1/jobs', register: jobReadRoutes },
  { prefix: '/api/v1', register: pageRoutes },
  { prefix: '/api/v1/sources', register: sourceRoutes },
  { prefix: '/api/v1/intakes', register: intakeRoutes },
  { prefix: '/api/v1/price-points', register: pricePointRoutes },
  { prefix: '/api/v1/valuations', register: valuationRoutes },
  { prefix: '/api/v1/webhooks', register: webhookRoutes },
  { prefix: '/api/v1/workers', register: workerRoutes },
  { prefix: '/api/v1/stats', register: statsRoutes },
  { prefix: '/api', register: knowledgeRoutes },
  { prefix: '/', register: shortKnowledgeRoutes },
];
