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
  disabled_reason: z.string().nullable().describe('why it is disabled'),
  failing_since: timestamp.nullable().describe('first failure since its last accepted delivery'),
  previous_secret_until: timestamp
    .nullable()
    .describe('until then, deliveries are also signed with the previous secret'),
  created_at: timestamp,
  updated_at: timestamp,
});
export const apiWebhook = webhook.meta({ id: 'Webhook' });
export type ApiWebhook = z.input<typeof apiWebhook>;

export const shownWebhook = z
  .object({
    ...webhook.shape,
    deliveries: z.object({ pending: z.int(), dead: z.int() }).describe('counts; above 10,000 a lower bound'),
    next_attempt_at: timestamp
      .nullable()
      .describe('next attempt; null if nothing waits or the webhook is disabled'),
  })
  .meta({ id: 'ShownWebhook' });

export const createdWebhook = z
  .object({
    ...webhook.shape,
    secret: z.string().describe('signing secret, whsec_…; shown once'),
  })
  .meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.input<typeof createdWebhook>;

export const webhookParams = z.strictObject({ id: z.uuid() });
export const webhookListQuery = z.strictObject({
  enabled: queryBoolean.optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
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
      .describe('how long the old secret also signs; 0 if it has leaked'),
  })
  .nullish();

const delivery = z.object({
  id: z.uuid().describe('the webhook-id is `msg_` plus this id, for every attempt'),
  webhook_id: z.uuid(),
  event: z.enum([...webhookEventNames, webhookTestEvent]),
  status: z.enum(deliveryStatuses).describe('pending: to be sent; dead: no attempts left'),
  attempts: z.int(),
  created_at: timestamp,
  next_attempt_at: timestamp
    .nullable()
    .describe('may be later if the webhook fails; null if there is none or the webhook is disabled'),
  last_attempt_at: timestamp.nullable(),
  last_status: z.int().nullable().describe('HTTP status of the last response'),
  last_error: z.string().nullable().describe('why the last attempt failed'),
  delivered_at: timestamp.nullable(),
});
export const webhookDelivery = delivery.meta({ id: 'WebhookDelivery' });
export type ApiWebhookDelivery = z.input<typeof webhookDelivery>;

export const shownDelivery = z
  .object({ ...delivery.shape, payload: z.record(z.string(), z.unknown()).describe('body of the request') })
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
    cursor: z.uuid().optional().describe('next_cursor of a response that ran out of time'),
  })
  .nullish();
export const replayAnswer = z
  .object({
    replayed: z.int().describe('number of deliveries to be sent again'),
    next_cursor: z.uuid().nullable().describe('set if time ran out: repeat the request with it as `cursor`'),
  })
  .meta({ id: 'ReplayAnswer' });
