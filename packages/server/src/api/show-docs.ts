import swaggerUi from '@fastify/swagger-ui';
import type { ApiServer } from './api-server.ts';

/** The documentation to read and try, at /api/docs. Its scripts and styles are our own files; nothing else may run there. */
export async function showDocs(server: ApiServer): Promise<void> {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  await server.register(swaggerUi, {
    routePrefix: '/api/docs',
    uiConfig: { url: '/api/openapi.json', deepLinking: true, validatorUrl: null },
    staticCSP: {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
    },
    theme: { title: 'Holdfast API' },
  });
}
