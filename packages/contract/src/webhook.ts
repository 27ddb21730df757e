import { z } from 'zod';
import { moment } from './moment.ts';
import { pageUrl, text } from './text-fields.ts';

/** What a webhook can be told of, stated once: the database's enum and docs/webhooks.md are held to it by tests. */
export const webhookEvents = {
  'job.started': 'a holder has begun to work on a job',
  'job.paused': 'a job was paused',
  'job.retrying': 'a run of a job failed and is tried again later',
  'job.completed': 'a job is done',
  'job.failed': 'a job has failed for good',
  'job.cancelled': 'a job was cancelled',
  'job.expired':
    'a bot let the lease of a job run out (while retries are left, it is ready again), or an operator ended it',
  'price.changed': 'a page costs something else than the time before',
  'page.new': 'a recrawl found a page that was not there before',
  'page.changed': 'a recrawl found a page with another text',
  'page.gone': 'a recrawl found that a page is gone',
  'page.failed': 'a crawl could not fetch a page',
} as const satisfies Record<string, string>;
export type WebhookEvent = keyof typeof webhookEvents;
export const webhookEventNames = Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]];

/** Sent when somebody asks for it, whatever the webhook listens to. */
export const webhookTestEvent = 'webhook.test';

/** pending: still to be sent, or being sent. dead: given up. */
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How jobs end, and prices: what most receivers wait for. The rest can be very much. */
export const defaultWebhookEvents = [
  'job.completed',
  'job.failed',
  'job.cancelled',
  'job.expired',
  'price.changed',
] as const satisfies WebhookEvent[];

/** Each event is written once for each webhook that hears it, by whoever makes the event. */
export const maxWebhooksPerOwner = 20;

/** The wait after a failed attempt triples, up to six hours: with 12 attempts, about 27 hours in all. */
export const webhookBackoff = { firstSeconds: 10, factor: 3, maxSeconds: 6 * 3600, jitter: 0.2 } as const;

/** A webhook that has taken nothing for so long is disabled. */
export const webhookPatienceDays = 3;

export const defaultRotationHours = 24;

const events = z
  .array(z.enum(webhookEventNames))
  .min(1)
  .max(webhookEventNames.length)
  .meta({ examples: [['job.completed', 'price.changed']] });

const changeable = {
  url: pageUrl.describe('where deliveries are sent, with POST; redirects are not followed'),
  events: events.describe('what it is told of'),
  description: text(200).nullable().describe('what it is for'),
};

export const webhookFields = {
  url: changeable.url,
  events: changeable.events.default([...defaultWebhookEvents]),
  description: changeable.description.default(null),
  user_id: text(100).default('local').describe('owner of the jobs that it is told of'),
};

export const webhookRequest = z.strictObject(webhookFields);
export type WebhookRequest = z.input<typeof webhookRequest>;

/** A change of a webhook: what is not named stays. */
export const webhookChange = z
  .strictObject({ ...changeable, enabled: z.boolean() })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must name at least one field to change');
export type WebhookChange = z.input<typeof webhookChange>;

/** Which deliveries are sent again. */
export const replayFilter = z.strictObject({
  status: z
    .enum(['dead', 'any'])
    .default('dead')
    .describe('any: also those that were delivered; then `since` is needed'),
  since: moment.optional().describe('only of events from then on'),
});
export type ReplayFilter = z.input<typeof replayFilter>;

/** Without its secret, which is shown when it is made and when it is changed. */
export interface Webhook {
  id: string;
  user_id: string;
  url: string;
  description: string | null;
  events: WebhookEvent[];
  enabled: boolean;
  disabled_reason: string | null;
  failing_since: Date | null;
  /** When the one before the last secret stops signing. */
  previous_secret_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface WebhookDelivery {
  /** The webhook-id that its receiver sees, without `msg_`. */
  id: string;
  webhook_id: string;
  event: WebhookEvent | typeof webhookTestEvent;
  status: DeliveryStatus;
  attempts: number;
  created_at: Date;
  /** Null when none is to come. */
  next_attempt_at: Date | null;
  last_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  delivered_at: Date | null;
}
