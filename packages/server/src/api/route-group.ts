import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration, KeyScope } from '@holdfast/contract';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../base/database/open-database.ts';
import type { SecretStore } from '../base/secrets/secret-store.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { KeyDirectory } from '../queue/access/key-directory.ts';
import type { Listener, Notifier } from '../queue/jobs/notifications.ts';
import type { Caller } from './caller.ts';

/** Who may call a route: anyone, or holders of a key with the scope. Every route declares it. */
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

/** Registers the routes of one resource. Its hooks, parsers and error handlers apply to them only. */
export type RouteGroup = (server: ApiServer, context: ApiContext) => void | Promise<void>;

/** Shared by all routes. */
export interface ApiContext {
  readonly configuration: Configuration;
  readonly database: Pick<Database, 'pool' | 'url' | 'describe'>;
  readonly pool: pg.Pool;
  /** For what must not be readable in the database. */
  readonly secrets: SecretStore;
  readonly log: Logger;
  /** Wakes workers after a write. */
  readonly notifier: Notifier;
  /** Receives notifications. Silent behind some poolers, so users must also poll. */
  readonly listener: Listener;
  readonly keys: KeyDirectory;
  readonly metrics: Metrics;
  /** Origin of the sample site, if this process serves one: the only private address that it may fetch. */
  readonly sampleSite?: string;
  /** Aborted before a shutdown: requests are still answered, but new ones should go elsewhere. */
  readonly draining: AbortSignal;
  /** Aborted when the server begins to close; ends event streams. */
  readonly stopping: AbortSignal;
}
