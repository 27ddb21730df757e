import type { Configuration } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { Fetcher } from '../../web/fetch/fetcher.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { backoffSeconds, pauseSeconds } from './backoff-seconds.ts';
import { type ClaimedDelivery, claimDeliveries, claimDelivery } from './claim-deliveries.ts';
import { sendDelivery } from './send-delivery.ts';
import { settleDelivered, settleFailed } from './settle-delivery.ts';

export interface DelivererOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly configuration: Pick<
    Configuration,
    | 'allowPrivate'
    | 'userAgent'
    | 'pollSeconds'
    | 'webhookConcurrency'
    | 'webhookTimeoutSeconds'
    | 'webhookAttempts'
  >;
  readonly fetcher?: Fetcher;
}

/** For the two statements around the sending; what takes longer is taken over by others. */
const leaseMarginSeconds = 30;

/**
 * Sends what the outbox holds. Any number of them work at once: each claims what it sends for as long as that may take.
 * One that dies between sending and saying so leaves a delivery that is sent again, with the same id.
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #fetcher: Fetcher;
  readonly #leaseSeconds: number;
  readonly #busy = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  #task: PeriodicTask | undefined;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { allowPrivate, userAgent, webhookConcurrency, webhookTimeoutSeconds } = options.configuration;
    this.#fetcher =
      options.fetcher ??
      new HttpFetcher({
        allowOrigins: allowPrivate,
        userAgent,
        // All of them: webhooks of one origin must not wait for each other.
        connectionsPerOrigin: Math.max(webhookConcurrency, 1),
      });
    this.#leaseSeconds = webhookTimeoutSeconds + leaseMarginSeconds;
  }

  start(): void {
    const { configuration, log } = this.#options;
    if (configuration.webhookConcurrency === 0) return;
    this.#task = runPeriodically('Delivering to webhooks', configuration.pollSeconds, log, () => this.turn());
  }

  /** What is under way is given the time to end: its receiver has it already, perhaps. */
  async stop(): Promise<void> {
    await this.#task?.stop();
    await Promise.all(this.#sending);
    await this.#fetcher.close();
  }

  /** Begins to send what is due, as far as there is room; answers with how many. */
  async turn(): Promise<number> {
    const { db, configuration } = this.#options;
    const limit = configuration.webhookConcurrency - this.#sending.size;
    if (limit <= 0) return 0;
    const asked = performance.now();
    const claimed = await claimDeliveries(db, { limit, leaseSeconds: this.#leaseSeconds, busy: this.#busy });
    for (const delivery of claimed) this.#begin(delivery, asked);
    return claimed.length;
  }

  /** Resolves when all that this process sends now has ended. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** Sends this one now, unless somebody else does; false then. */
  async deliver(id: string): Promise<boolean> {
    const asked = performance.now();
    const delivery = await claimDelivery(this.#options.db, id, this.#leaseSeconds);
    if (delivery) await this.#send(delivery, asked);
    return delivery !== undefined;
  }

  #begin(delivery: ClaimedDelivery, asked: number): void {
    const { webhook_id } = delivery;
    this.#busy.set(webhook_id, (this.#busy.get(webhook_id) ?? 0) + 1);
    const sending = this.#send(delivery, asked)
      .catch((error: unknown) =>
        this.#options.log.warn(
          { err: error, delivery: delivery.id, webhook: webhook_id },
          'What came of a delivery could not be stored; it is sent again when its lease has run out',
        ),
      )
      .finally(() => {
        const left = (this.#busy.get(webhook_id) ?? 1) - 1;
        if (left > 0) this.#busy.set(webhook_id, left);
        else this.#busy.delete(webhook_id);
        this.#sending.delete(sending);
        // The next one of the same webhook need not wait for the poll.
        this.#task?.soon();
      });
    this.#sending.add(sending);
  }

  async #send(delivery: ClaimedDelivery, asked: number): Promise<void> {
    const { db, log, configuration } = this.#options;
    const { webhookTimeoutSeconds: timeoutSeconds, webhookAttempts } = configuration;
    // A process that was frozen since the claim may not begin: somebody else has it, or will before this is through.
    if (performance.now() - asked > leaseMarginSeconds * 500) return;
    const names = { delivery: delivery.id, webhook: delivery.webhook_id };
    if (delivery.attempts > webhookAttempts) {
      // Whoever sent it the last time did not live to tell.
      const error = 'nobody came back from the last attempt';
      const { held } = await settleFailed(db, delivery, {
        status: null,
        error,
        retrySeconds: null,
        pauseSeconds: null,
        disable: null,
      });
      if (held) publish('delivery', { outcome: 'dead' });
      return;
    }
    const sent = await sendDelivery(delivery, { fetcher: this.#fetcher, timeoutSeconds });
    if (sent.delivered) {
      if (await settleDelivered(db, delivery, sent.status ?? 200))
        publish('delivery', { outcome: 'delivered' });
      return;
    }
    const isLast = sent.hopeless || sent.gone || delivery.attempts >= webhookAttempts;
    const { error } = sent;
    const { held, disabled } = await settleFailed(db, delivery, {
      status: sent.status,
      error,
      retrySeconds: isLast ? null : backoffSeconds(delivery.attempts, sent.retryAfterSeconds),
      pauseSeconds: pauseSeconds(delivery.failure_streak, sent.retryAfterSeconds),
      disable: sent.gone ? error : null,
    });
    // Somebody else has it by now, and tells what comes of it.
    if (!held) return;
    publish('delivery', { outcome: isLast ? 'dead' : 'failed' });
    if (isLast) log.warn({ ...names, reason: error }, 'A webhook delivery is dead');
    if (disabled) log.warn({ ...names, reason: error }, 'A webhook was disabled: its receiver takes nothing');
  }
}
