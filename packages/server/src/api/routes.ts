import { botDialectRoutes } from './bot-dialect/bot-dialect-routes.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import { jobActionRoutes } from './jobs/action-routes.ts';
import { jobBulkActionRoutes } from './jobs/bulk-action-routes.ts';
import { demoRoutes, jobCreateRoutes } from './jobs/create-routes.ts';
import { jobDeleteRoutes } from './jobs/delete-routes.ts';
import { jobReadRoutes } from './jobs/read-routes.ts';
import { knowledgeRoutes, shortKnowledgeRoutes } from './knowledge-items/knowledge-routes.ts';
import { pageDownloadRoutes } from './pages/download-routes.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { botRoutes } from './resources/bot-routes.ts';
import { directoryRoutes, identityRoutes } from './resources/identity-routes.ts';
import { intakeRoutes } from './resources/intake-routes.ts';
import { keyRoutes } from './resources/key-routes.ts';
import { policyRoutes } from './resources/policy-routes.ts';
import { pricePointRoutes } from './resources/price-point-routes.ts';
import { profileRoutes } from './resources/profile-routes.ts';
import { proxyRoutes } from './resources/proxy-routes.ts';
import { resultRoutes } from './resources/result-routes.ts';
import { sessionRoutes } from './resources/session-routes.ts';
import { sourceRoutes } from './resources/source-routes.ts';
import { statsRoutes } from './resources/stats-routes.ts';
import { valuationRoutes } from './resources/valuation-routes.ts';
import { webhookRoutes } from './resources/webhook-routes.ts';
import { workerRoutes } from './resources/worker-routes.ts';
import type { RouteGroup } from './route-group.ts';
import { metricsRoutes, statusRoutes } from './status-routes.ts';

/** Every group of routes. README.md says how to add one. */
export const routeGroups: readonly { readonly prefix: string; readonly register: RouteGroup }[] = [
  { prefix: '/', register: consoleRoutes },
  { prefix: '/', register: statusRoutes },
  { prefix: '/', register: metricsRoutes },
  { prefix: '/', register: directoryRoutes },
  { prefix: '/api/v1/jobs', register: jobCreateRoutes },
  { prefix: '/api/v1/jobs', register: jobReadRoutes },
  { prefix: '/api/v1/jobs', register: jobActionRoutes },
  { prefix: '/api/v1/jobs', register: jobBulkActionRoutes },
  { prefix: '/api/v1/jobs', register: jobDeleteRoutes },
  { prefix: '/api/v1/demo', register: demoRoutes },
  { prefix: '/api/v1/keys', register: keyRoutes },
  { prefix: '/api/session', register: sessionRoutes },
  { prefix: '/api/crawl', register: botDialectRoutes },
  { prefix: '/api/v1/bots', register: botRoutes },
  { prefix: '/api/v1', register: resultRoutes },
  { prefix: '/api/v1/policies', register: policyRoutes },
  { prefix: '/api/v1', register: eventRoutes },
  { prefix: '/api/v1', register: pageRoutes },
  { prefix: '/api/v1', register: pageDownloadRoutes },
  { prefix: '/api/v1/sources', register: sourceRoutes },
  { prefix: '/api/v1/proxies', register: proxyRoutes },
  { prefix: '/api/v1/intakes', register: intakeRoutes },
  { prefix: '/api/v1/price-points', register: pricePointRoutes },
  { prefix: '/api/v1/valuations', register: valuationRoutes },
  { prefix: '/api/v1/webhooks', register: webhookRoutes },
  { prefix: '/api/v1/profiles', register: profileRoutes },
  { prefix: '/api/v1/workers', register: workerRoutes },
  { prefix: '/api/v1/identity', register: identityRoutes },
  { prefix: '/api/v1/stats', register: statsRoutes },
  { prefix: '/api', register: knowledgeRoutes },
  { prefix: '/', register: shortKnowledgeRoutes },
];
