import type { Webhook } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { webhookColumns } from './find-webhooks.ts';

export interface WebhookFilter {
  readonly enabled?: boolean | undefined;
  readonly limit: number;
  /** Id of the last webhook of the page before. */
  readonly after?: string | undefined;
}

const listWebhooksStatement = statement<Webhook>(
  'list-webhooks',
  `
SELECT ${webhookColumns('hook')} FROM webhooks hook
WHERE ($1::text IS NULL OR user_id = $1) AND ($2::boolean IS NULL OR enabled = $2) AND ($3::uuid IS NULL OR id < $3)
ORDER BY id DESC LIMIT $4`,
);

/** The newest first; with an owner, only theirs. */
export function listWebhooks(db: Queryable, filter: WebhookFilter, owner?: string): Promise<Webhook[]> {
  return run(db, listWebhooksStatement, [owner, filter.enabled, filter.after, filter.limit]);
}
