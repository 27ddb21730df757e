import { setTimeout as delay } from 'node:timers/promises';
import type { Configuration, WebhookDelivery } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { hasLiveWorker } from '../workers/worker-list.ts';
import type { Deliverer } from './deliverer.ts';
import { findDelivery } from './find-deliveries.ts';

/** For a worker to take it, and to store what came of it. */
const marginMs = 5000;

/**
 * Waits for what comes of the next attempt of a delivery. A worker makes it, with its own settings, as it would any other;
 * where none is alive, the deliverer does. It answers with a delivery that nobody took if none of them has room in time.
 */
export async function awaitOutcome(
  db: Queryable,
  { id, webhook_id }: Pick<WebhookDelivery, 'id' | 'webhook_id'>,
  deliverer: Deliverer,
  configuration: Pick<Configuration, 'heartbeatSeconds' | 'webhookTimeoutSeconds'>,
): Promise<WebhookDelivery> {
  const patienceMs = configuration.webhookTimeoutSeconds * 1000 + marginMs;
  let until = performance.now() + patienceMs;
  let isTaken = false;
  for (;;) {
    // Asked anew each time: a worker that was killed counts as alive until its heartbeats are missed.
    if (!isTaken && !(await hasLiveWorker(db, configuration))) await deliverer.deliver(id);
    const { payload: _, ...delivery } = await findDelivery(db, webhook_id, id);
    if (delivery.status !== 'pending' || delivery.last_error !== null) return delivery;
    if (!isTaken && delivery.attempts > 0) {
      isTaken = true;
      until = performance.now() + patienceMs;
    }
    if (performance.now() > until) return delivery;
    await delay(100);
  }
}
