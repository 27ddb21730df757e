import { type Configuration, readConfiguration, type WebhookRequest } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { actor, QueueFixture } from '../../../../../../test/queue-fixture/queue-fixture.ts';
import { completeJobs } from '../../jobs/complete-jobs.ts';
import { Deliverer } from '../deliverer.ts';
import { createWebhook } from '../edit-webhooks.ts';
import { Receiver } from './receiver.ts';

interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly event: string;
  readonly status: string;
  readonly attempts: number;
  readonly fence: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly wait: number;
  readonly payload: { type: string; version: number; timestamp: string; data: Record<string, unknown> };
}

/** A queue, a receiver and a deliverer between them; without webhooks before each test. */
export class WebhookFixture extends QueueFixture {
  #receiver: Receiver | undefined;
  readonly #deliverers: Deliverer[] = [];

  constructor() {
    super();
    beforeAll(async () => {
      this.#receiver = await Receiver.start();
    });
    beforeEach(async () => {
      await this.pool.query('DELETE FROM webhooks');
      await this.pool.query('DELETE FROM webhook_deliveries');
      this.receiver.received.length = 0;
      this.receiver.answer = () => ({ status: 204 });
    });
    afterEach(async () => {
      await Promise.all(this.#deliverers.splice(0).map((deliverer) => deliverer.stop()));
    });
    afterAll(() => this.#receiver?.close());
  }

  get receiver(): Receiver {
    if (!this.#receiver) throw new Error('the receiver of this test file is not there yet');
    return this.#receiver;
  }

  hook(request: Partial<WebhookRequest> = {}) {
    const { origin } = this.receiver;
    return createWebhook(this.pool, { url: `${origin}/hook`, ...request }, [origin]);
  }

  /** Completes a job, which triggers webhooks. */
  async completed(): Promise<string> {
    const job = await this.claimedOne();
    await completeJobs(this.pool, [job], actor);
    return job.id;
  }

  deliverer(configuration: Partial<Configuration> = {}): Deliverer {
    const deliverer = new Deliverer({
      db: this.pool,
      log: pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' }),
      configuration: { ...readConfiguration({}), allowPrivate: [this.receiver.origin], ...configuration },
    });
    this.#deliverers.push(deliverer);
    return deliverer;
  }

  /** Sends deliveries until none is due. */
  async deliverDue(deliverer = this.deliverer()): Promise<void> {
    while ((await deliverer.turn()) > 0) await deliverer.settled();
  }

  /** Lets time pass by moving every next attempt back. */
  async passTime(interval = '1 day'): Promise<void> {
    await this.pool.query(
      `UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - $1::interval,
         lease_expires_at = lease_expires_at - $1::interval`,
      [interval],
    );
    await this.pool.query(
      `UPDATE webhooks SET not_before = not_before - $1::interval, failing_since = failing_since - $1::interval`,
      [interval],
    );
  }

  async deliveries(): Promise<DeliveryRow[]> {
    const { rows } = await this.pool.query<DeliveryRow>(
      `SELECT id, webhook_id, event, status, attempts, fence, last_status, last_error, payload,
         extract(epoch FROM next_attempt_at - now())::float8 AS wait
       FROM webhook_deliveries ORDER BY id`,
    );
    return rows;
  }
}
