import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { apiError } from '@holdfast/contract';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { version } from '../base/process/installation.ts';
import type { ApiServer } from './route-group.ts';

const description = `The HTTP API of Holdfast. Every call except the public ones needs a key: \`Authorization: Bearer hf_…\`.
Lists are paged with \`cursor\`. Errors share one format; docs/errors.md lists their codes.`;

/** Generates the OpenAPI document from the schemas that validate requests. */
export async function describeApi(server: ApiServer): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Holdfast', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, hf_…' } },
      },
    },
    transform: (input) => {
      const { schema = {}, route, ...rest } = input;
      const access = route.config?.access;
      const isNative = route.url.startsWith('/api/v1/');
      return jsonSchemaTransform({
        ...rest,
        route,
        schema: {
          ...schema,
          ...(isNative && { response: { ...(schema.response ?? {}), default: apiError } }),
          ...(access === 'public' ? {} : { security: [{ key: [] }] }),
          ...(typeof access === 'object' && {
            description: [schema.description, `Needs the scope \`${access.scope}\`.`]
              .filter(Boolean)
              .join('\n\n'),
          }),
        },
      });
    },
    transformObject: (input) => withPlainNames(withoutUnused(jsonSchemaTransformObject(input))),
  });
  server.get(
    '/api/openapi.json',
    { config: { access: 'public' }, schema: { hide: true } },
    async (_request, reply) => {
      reply.header('cache-control', 'no-cache');
      return server.swagger();
    },
  );
}

interface Document {
  readonly paths?: unknown;
  readonly components?: { readonly schemas?: Record<string, unknown> };
}

/** Named schemas exist in a request and a response form; drops the unused ones. */
function withoutUnused<Described extends Document>(document: Described): Described {
  const schemas = document.components?.schemas ?? {};
  const used = new Set<string>();
  const visit = (part: unknown) => {
    const names = [...JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
    for (const [, name = ''] of names) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(document.paths);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...document, components: { ...document.components, schemas: kept } };
}

/** Request schemas lose their suffix (`NewJobInput` is `NewJob`), unless a response schema has that name. */
function withPlainNames<Described extends Document>(document: Described): Described {
  const schemas = document.components?.schemas ?? {};
  const plain = (name: string) => {
    const short = name.replace(/Input$/, '');
    return short in schemas ? name : short;
  };
  const renamed = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [plain(name), schema]));
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: renamed } });
  return JSON.parse(text.replaceAll(/(?<="#\/components\/schemas\/)[^"]+/g, plain)) as Described;
}

/** Interactive documentation at /api/docs. It runs scripts of this server only. */
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
