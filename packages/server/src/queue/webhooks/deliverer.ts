import { type Configuration, webhookBackoff } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { Fetcher } from '../../web/fetch/fetcher.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { type ProxySettings, throughDefault } from '../../web/proxy/default-pool.ts';
import { type ClaimedDelivery, claimDeliveries, claimDelivery } from './claim-deliveries.ts';
import { sendDelivery } from './send-delivery.ts';
import { settleDelivered, settleFailed } from './settle-delivery.ts';

interface DelivererOptions {
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
  > &
    ProxySettings;
  readonly fetcher?: Fetcher;
}

/** Lease time beyond the request's timeout, for the statements before and after it. */
const leaseMarginSeconds = 30;

/**
 * Sends the deliveries of the outbox. Any number of deliverers may run at once; each leases what it sends. If one dies between
 * sending and recording the outcome, the delivery is sent again with the same id.
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
      throughDefault(
        new HttpFetcher({
          allowOrigins: allowPrivate,
          userAgent,
          // Webhooks of one origin must not wait for each other.
          connectionsPerOrigin: Math.max(webhookConcurrency, 1),
        }),
        options.configuration,
      );
    this.#leaseSeconds = webhookTimeoutSeconds + leaseMarginSeconds;
  }

  start(): void {
    const { configuration, log } = this.#options;
    if (configuration.webhookConcurrency === 0) return;
    this.#task = runPeriodically('Delivering to webhooks', configuration.pollSeconds, log, () => this.turn());
  }

  /** Waits for requests in progress: their receivers may already have the delivery. */
  async stop(): Promise<void> {
    await this.#task?.stop();
    await Promise.all(this.#sending);
    await this.#fetcher.close();
  }

  /** Starts sending due deliveries as far as there is capacity; returns how many. */
  async turn(): Promise<number> {
    const { db, configuration } = this.#options;
    const limit = configuration.webhookConcurrency - this.#sending.size;
    if (limit <= 0) return 0;
    const asked = performance.now();
    const claimed = await claimDeliveries(db, { limit, leaseSeconds: this.#leaseSeconds, busy: this.#busy });
    for (const delivery of claimed) this.#begin(delivery, asked);
    return claimed.length;
  }

  /** Resolves when this process has no request in progress. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** Sends this delivery now. False: somebody else holds it. */
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
          'Could not store the outcome of a delivery; it will be sent again when its lease runs out',
        ),
      )
      .finally(() => {
        const left = (this.#busy.get(webhook_id) ?? 1) - 1;
        if (left > 0) this.#busy.set(webhook_id, left);
        else this.#busy.delete(webhook_id);
        this.#sending.delete(sending);
        // The webhook's next delivery need not wait for the poll.
        this.#task?.soon();
      });
    this.#sending.add(sending);
  }

  async #send(delivery: ClaimedDelivery, asked: number): Promise<void> {
    const { db, log, configuration } = this.#options;
    const { webhookTimeoutSeconds: timeoutSeconds, webhookAttempts } = configuration;
    // A process that was frozen since the claim must not start: its lease has run out, or will during the request.
    if (performance.now() - asked > leaseMarginSeconds * 500) return;
    const names = { delivery: delivery.id, webhook: delivery.webhook_id };
    if (delivery.attempts > webhookAttempts) {
      // The process that made the last attempt died before recording its outcome.
      const error = 'the last attempt ended without an outcome';
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
    // Somebody else has taken it over and will record the outcome.
    if (!held) return;
    publish('delivery', { outcome: isLast ? 'dead' : 'failed' });
    if (isLast) log.warn({ ...names, reason: error }, 'A webhook delivery is dead');
    if (disabled)
      log.warn({ ...names, reason: error }, 'A webhook was disabled: its receiver accepts nothing');
  }
}

const { firstSeconds, factor, maxSeconds, jitter } = webhookBackoff;

/** Wait after so many attempts: exponential with jitter, longer if the receiver asks for it. */
export function backoffSeconds(attempts: number, retryAfterSeconds = 0, random = Math.random()): number {
  const wait = Math.min(firstSeconds * factor ** (attempts - 1), maxSeconds);
  return Math.max(wait * (1 - jitter + 2 * jitter * random), retryAfterSeconds);
}

const longestPauseSeconds = 300;

/** How long all deliveries of a webhook wait after a failure: 1, 2, 4 … seconds, or what the receiver asks for. */
export function pauseSeconds(failureStreak: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(2 ** Math.min(failureStreak, 20), longestPauseSeconds), retryAfterSeconds);
}
