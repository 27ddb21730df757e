import { z } from 'zod';
import { text } from '../text-fields.ts';
import {
  defaultRotationHours,
  deliveryStatuses,
  replayFilter,
  webhookChange,
  webhookEventNames,
  webhookFields,
  webhookTestEvent,
} from '../webhook.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const { user_id: _owner, ...fields } = webhookFields;
export const newWebhook = z.strictObject(fields).meta({
  id: 'NewWebhook',
  examples: [{ url: 'https://example.com/hooks/holdfast', events: ['job.completed'] }],
});
export type NewWebhook = z.input<typeof newWebhook>;

export const changedWebhook = webhookChange.meta({
  id: 'WebhookChange',
  minProperties: 1,
  examples: [{ events: ['job.failed'] }],
});

const webhook = z.object({
  id: z.uuid(),
  user_id: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(z.enum(webhookEventNames)),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable().describe('why, where it is not enabled'),
  failing_since: timestamp.nullable().describe('of the first failure since it last took a delivery'),
  previous_secret_until: timestamp
    .nullable()
    .describe('until then, deliveries are signed with the secret before the last one too'),
  created_at: timestamp,
  updated_at: timestamp,
});
export const apiWebhook = webhook.meta({ id: 'Webhook' });
export type ApiWebhook = z.input<typeof apiWebhook>;

export const shownWebhook = z
  .object({
    ...webhook.shape,
    deliveries: z
      .object({ pending: z.int(), dead: z.int() })
      .describe('how many there are; beyond 10,000, at least so many'),
    next_attempt_at: timestamp
      .nullable()
      .describe('when what waits is tried next; null where nothing waits, or it is disabled'),
  })
  .meta({ id: 'ShownWebhook' });

export const createdWebhook = z
  .object({
    ...webhook.shape,
    secret: z.string().describe('whsec_…, with which deliveries are signed; shown this once'),
  })
  .meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.input<typeof createdWebhook>;

export const webhookParams = z.strictObject({ id: z.uuid() });
export const webhookListQuery = z.strictObject({
  enabled: queryBoolean.optional(),
  user_id: text(100).optional().describe('owner; for keys that see every owner'),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const webhookList = pageOf(apiWebhook);

export const rotateSecretRequest = z
  .strictObject({
    overlap_hours: z
      .int()
      .min(0)
      .max(168)
      .default(defaultRotationHours)
      .describe('how long the old secret signs as well; 0 when it has leaked'),
  })
  .nullish();

const delivery = z.object({
  id: z.uuid().describe('webhook-id of the delivery is `msg_` and this, in every attempt'),
  webhook_id: z.uuid(),
  event: z.enum([...webhookEventNames, webhookTestEvent]),
  status: z.enum(deliveryStatuses).describe('pending: still to be sent; dead: given up'),
  attempts: z.int(),
  created_at: timestamp,
  next_attempt_at: timestamp
    .nullable()
    .describe('later where its webhook fails and waits; null where none comes, or while it is disabled'),
  last_attempt_at: timestamp.nullable(),
  last_status: z.int().nullable().describe('HTTP status of the last answer'),
  last_error: z.string().nullable().describe('why the last attempt failed'),
  delivered_at: timestamp.nullable(),
});
export const webhookDelivery = delivery.meta({ id: 'WebhookDelivery' });
export type ApiWebhookDelivery = z.input<typeof webhookDelivery>;

export const shownDelivery = z
  .object({ ...delivery.shape, payload: z.record(z.string(), z.unknown()).describe('what is sent') })
  .meta({ id: 'ShownWebhookDelivery' });

export const deliveryParams = z.strictObject({ id: z.uuid(), delivery_id: z.uuid() });
export const deliveryListQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const deliveryList = pageOf(webhookDelivery);

export const replayRequest = z
  .strictObject({
    ...replayFilter.shape,
    cursor: z.uuid().optional().describe('next_cursor of an answer that ran out of time'),
  })
  .nullish();
export const replayAnswer = z
  .object({
    replayed: z.int().describe('how many are sent again'),
    next_cursor: z
      .uuid()
      .nullable()
      .describe('not null: it ran out of time; send the same request with it as `cursor`'),
  })
  .meta({ id: 'ReplayAnswer' });
