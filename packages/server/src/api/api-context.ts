import type { Configuration } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../base/database/open-database.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { KeyDirectory } from '../queue/access/key-directory.ts';
import type { Listener } from '../queue/jobs/notifications.ts';
import type { Notifier } from '../queue/jobs/notifier.ts';

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
