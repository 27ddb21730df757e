import { z } from 'zod';
import { moment } from './moment.ts';
import { pageUrl, text } from './text-fields.ts';

/** The events of webhooks. Tests hold the database's enum and docs/webhooks.md to this list. */
export const webhookEvents = {
  'job.started': 'a job started running',
  'job.paused': 'a job was paused',
  'job.retrying': 'a run failed and will be retried',
  'job.completed': 'a job completed',
  'job.failed': 'a job failed and will not be retried',
  'job.cancelled': 'a job was cancelled',
  'job.expired':
    'the lease of a bot expired (the job is queued again while retries remain), or an operator ended it',
  'price.changed': 'the price of a page differs from its previous one',
  'page.new': 'a recrawl found a new page',
  'page.changed': 'a recrawl found a page with changed text',
  'page.gone': 'a recrawl found that a page is gone',
  'page.failed': 'a crawl could not fetch a page',
} as const satisfies Record<string, string>;
export type WebhookEvent = keyof typeof webhookEvents;
export const webhookEventNames = Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]];

/** Sent on request, whatever events the webhook subscribes to. */
export const webhookTestEvent = 'webhook.test';

/** pending: waiting or being sent. dead: no attempts left. */
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What most receivers need. The other events can be numerous. */
export const defaultWebhookEvents = [
  'job.completed',
  'job.failed',
  'job.cancelled',
  'job.expired',
  'price.changed',
] as const satisfies WebhookEvent[];

/** The writer of an event inserts one delivery per subscribed webhook, which this limits. */
export const maxWebhooksPerOwner = 20;

/** The wait after a failed attempt triples, up to six hours: with 12 attempts, about 27 hours in all. */
export const webhookBackoff = { firstSeconds: 10, factor: 3, maxSeconds: 6 * 3600, jitter: 0.2 } as const;

/** A webhook whose deliveries fail for this long is disabled. */
export const webhookPatienceDays = 3;

export const defaultRotationHours = 24;

const events = z
  .array(z.enum(webhookEventNames))
  .min(1)
  .max(webhookEventNames.length)
  .meta({ examples: [['job.completed', 'price.changed']] });

const changeable = {
  url: pageUrl.describe('URL that receives deliveries as POST requests; redirects are not followed'),
  events: events.describe('events it receives'),
  description: text(200).nullable().describe('free text'),
};

export const webhookFields = {
  url: changeable.url,
  events: changeable.events.default([...defaultWebhookEvents]),
  description: changeable.description.default(null),
  user_id: text(100).default('local').describe('owner of the jobs it reports'),
};

export const webhookRequest = z.strictObject(webhookFields);
export type WebhookRequest = z.input<typeof webhookRequest>;

/** A change of a webhook. Omitted fields keep their value. */
export const webhookChange = z
  .strictObject({ ...changeable, enabled: z.boolean() })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must name at least one field to change');
export type WebhookChange = z.input<typeof webhookChange>;

/** Selects the deliveries to replay. */
export const replayFilter = z.strictObject({
  status: z
    .enum(['dead', 'any'])
    .default('dead')
    .describe('any also replays delivered ones and requires `since`'),
  since: moment.optional().describe('only deliveries of events since then'),
});
export type ReplayFilter = z.input<typeof replayFilter>;

/** Without its secret, which is shown only on creation and rotation. */
export interface Webhook {
  id: string;
  user_id: string;
  url: string;
  description: string | null;
  events: WebhookEvent[];
  enabled: boolean;
  disabled_reason: string | null;
  failing_since: Date | null;
  /** When the previous secret stops signing. */
  previous_secret_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface WebhookDelivery {
  /** The `webhook-id` header without `msg_`. */
  id: string;
  webhook_id: string;
  event: WebhookEvent | typeof webhookTestEvent;
  status: DeliveryStatus;
  attempts: number;
  created_at: Date;
  /** Null if no attempt follows. */
  next_attempt_at: Date | null;
  last_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  delivered_at: Date | null;
}
