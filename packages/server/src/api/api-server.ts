import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyScope } from '@holdfast/contract';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ApiContext } from './api-context.ts';
import type { Caller } from './caller.ts';

/** Who may call a route: anyone, or who has a key with the scope. Every route declares it. */
export type Access = 'public' | { readonly scope: KeyScope };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
}

export type ApiServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Adds the routes of one noun. Hooks, parsers and error handlers that it sets are its own. */
export type RouteGroup = (server: ApiServer, context: ApiContext) => void | Promise<void>;
