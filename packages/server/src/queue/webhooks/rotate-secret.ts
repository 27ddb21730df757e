import { defaultRotationHours, type Webhook } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { webhookColumns } from './find-webhooks.ts';
import { makeSecret } from './webhook-secret.ts';

const rotateSecretStatement = statement<Webhook>(
  'rotate-webhook-secret',
  `
UPDATE webhooks hook SET
  secret = $3, previous_secret = CASE WHEN $4::integer > 0 THEN secret END,
  previous_expires_at = CASE WHEN $4::integer > 0 THEN now() + make_interval(hours => $4::integer) END, updated_at = now()
WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
RETURNING ${webhookColumns('hook')}`,
);

/** Gives a webhook another secret; the old one signs as well for a while, unless it has leaked (0 hours). */
export async function rotateSecret(
  db: Queryable,
  id: string,
  overlapHours: number = defaultRotationHours,
  owner?: string,
): Promise<Webhook & { secret: string }> {
  const secret = makeSecret();
  const [webhook] = isId(id) ? await run(db, rotateSecretStatement, [id, owner, secret, overlapHours]) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return { ...webhook, secret };
}
