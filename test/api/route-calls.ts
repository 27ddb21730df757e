import type { RouteOptions } from 'fastify';
import type { ApiServer } from '../../packages/server/src/api/route-group.ts';
import { type JsonSchema, Schemas } from './json-schema.ts';

interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Record<string, { schema: JsonSchema }>;
  };
}

/** A route as it is registered, with what the document says of it, if it says anything. */
export interface RouteCall {
  readonly method: string;
  /** With its parameters, as /api/v1/jobs/:id. */
  readonly url: string;
  readonly access: NonNullable<RouteOptions['config']>['access'];
  readonly parameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
}

export interface ApiDocument {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
}

export function documentOf(server: ApiServer): { document: ApiDocument; schemas: Schemas } {
  const document = server.swagger() as unknown as ApiDocument;
  return { document, schemas: new Schemas(document.components.schemas) };
}

/** Every route of the server: a route that is added later is in it by itself. */
export function routeCalls(server: ApiServer): RouteCall[] {
  const { document } = documentOf(server);
  return server.registeredRoutes.flatMap(({ method, url, config }) =>
    [method].flat().map((name) => {
      const path = url.replaceAll(/:(\w+)/g, '{$1}');
      const described = document.paths[path] ?? document.paths[path.replace(/\/$/, '')];
      const operation = described?.[name.toLowerCase()] ?? (name === 'HEAD' ? described?.get : undefined);
      return {
        method: name,
        url,
        access: config?.access,
        parameters: operation?.parameters ?? [],
        body: operation?.requestBody?.content['application/json']?.schema,
      };
    }),
  );
}

/** Fills in the parameters of a path. */
export function pathOf(url: string, values: Readonly<Record<string, string>>): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((values[name] ?? '').toWellFormed()),
  );
}
