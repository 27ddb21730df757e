import type { Webhook } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { webhookColumns } from './find-webhooks.ts';

const deleteWebhookStatement = statement<Webhook>(
  'delete-webhook',
  `
DELETE FROM webhooks hook WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) RETURNING ${webhookColumns('hook')}`,
);

/** Nothing more is sent; its deliveries are pruned. */
export async function deleteWebhook(db: Queryable, id: string, owner?: string): Promise<Webhook> {
  const [webhook] = isId(id) ? await run(db, deleteWebhookStatement, [id, owner]) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return webhook;
}
