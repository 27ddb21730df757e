import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration, KeyScope } from '@holdfast/contract';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../base/database/open-database.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { KeyDirectory } from '../queue/access/key-directory.ts';
import type { Listener, Notifier } from '../queue/jobs/notifications.ts';
import type { Caller } from './caller.ts';

/** Who may call a route: anyone, or who has a key with the scope. Every route declares it. */
type Access = 'public' | { readonly scope: KeyScope };

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

/** What every route may use. */
export interface ApiContext {
  readonly configuration: Configuration;
  readonly database: Pick<Database, 'pool' | 'url' | 'describe'>;
  readonly pool: pg.Pool;
  readonly log: Logger;
  /** Wakes workers after something was written for them. */
  readonly notifier: Notifier;
  /** Hears what others announce; it may stay silent (poolers), so who uses it polls as well. */
  readonly listener: Listener;
  readonly keys: KeyDirectory;
  readonly metrics: Metrics;
  /** The origin of a site to try crawls on, where there is one: the one private address that this process may fetch. */
  readonly sampleSite?: string;
  /** Aborted when no more requests should be sent here: it is still answered, and stops soon. */
  readonly draining: AbortSignal;
  /** Aborted when the server begins to close: answers without an end (SSE) end then. */
  readonly stopping: AbortSignal;
}
