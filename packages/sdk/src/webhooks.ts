import { Listing } from './listing.ts';
import type {
  Calls,
  CreatedWebhook,
  ListWebhookDeliveriesQuery,
  ListWebhooksQuery,
  NewWebhook,
  ReplayAnswer,
  ShownWebhook,
  ShownWebhookDelivery,
  Webhook,
  WebhookChange,
  WebhookDelivery,
} from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a webhook. Only this response and that of a rotation contain its secret. */
  create(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
    return this.#transport.call('createWebhook', { body: webhook }, options);
  }

  /** Webhooks, newest first. */
  list(query: ListWebhooksQuery = {}, options?: CallOptions): Listing<Webhook> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listWebhooks', { query: { ...query, cursor } }, options),
    );
  }

  get(id: string, options?: CallOptions): Promise<ShownWebhook> {
    return this.#transport.call('showWebhook', { path: { id } }, options);
  }

  /** Changes the given fields. Pending deliveries use the new URL. */
  update(id: string, change: WebhookChange, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call('changeWebhook', { path: { id }, body: change, repeatable: true }, options);
  }

  delete(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call('deleteWebhook', { path: { id } }, options);
  }

  enable(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call('enableWebhook', { path: { id }, repeatable: true }, options);
  }

  disable(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call('disableWebhook', { path: { id }, repeatable: true }, options);
  }

  /** Replaces the secret. For `overlap_hours`, the old one also signs. */
  rotateSecret(
    id: string,
    body: Calls['rotateWebhookSecret']['body'] = {},
    options?: CallOptions,
  ): Promise<CreatedWebhook> {
    return this.#transport.call('rotateWebhookSecret', { path: { id }, body }, options);
  }

  /** Sends it a `webhook.test`. */
  test(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.call('testWebhook', { path: { id } }, options);
  }

  /** Its deliveries, newest first. */
  deliveries(
    id: string,
    query: ListWebhookDeliveriesQuery = {},
    options?: CallOptions,
  ): Listing<WebhookDelivery> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listWebhookDeliveries', { path: { id }, query: { ...query, cursor } }, options),
    );
  }

  getDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<ShownWebhookDelivery> {
    return this.#transport.call('showWebhookDelivery', { path: { id, delivery_id: deliveryId } }, options);
  }

  /** Sends one delivery again, with the same id. */
  replayDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.call(
      'replayWebhookDelivery',
      { path: { id, delivery_id: deliveryId }, repeatable: true },
      options,
    );
  }

  /** Sends dead deliveries again, or all since a time. Follows the cursor until all are queued. */
  async replay(
    id: string,
    body: NonNullable<Calls['replayWebhook']['body']> = {},
    options?: CallOptions,
  ): Promise<ReplayAnswer> {
    let replayed = 0;
    for (let { cursor } = body; ; ) {
      const answer = await this.#transport.call(
        'replayWebhook',
        { path: { id }, body: { ...body, cursor } },
        options,
      );
      replayed += answer.replayed;
      if (answer.next_cursor === null) return { replayed, next_cursor: null };
      cursor = answer.next_cursor;
    }
  }
}
