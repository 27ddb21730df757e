import { type Bot, type BotChange, botChange, describeIssues, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { showBot } from './bot-registry.ts';
import { readDomain } from './domain.ts';

/** What is not named stays. */
const changeStatement = statement<{ bot_id: string }>(
  'change-bot',
  `
UPDATE bots bot SET
  enabled = CASE WHEN $3::jsonb ? 'enabled' THEN given.enabled ELSE bot.enabled END,
  max_jobs_per_pull = CASE WHEN $3::jsonb ? 'max_jobs_per_pull' THEN given.max_jobs_per_pull ELSE bot.max_jobs_per_pull END,
  max_pulls_per_minute = CASE WHEN $3::jsonb ? 'max_pulls_per_minute' THEN given.max_pulls_per_minute
    ELSE bot.max_pulls_per_minute END,
  allowed_domains = CASE WHEN $3::jsonb ? 'allowed_domains' THEN given.allowed_domains ELSE bot.allowed_domains END,
  lock_ttl_seconds = CASE WHEN $3::jsonb ? 'lock_ttl_seconds' THEN given.lock_ttl_seconds ELSE bot.lock_ttl_seconds END
FROM jsonb_populate_record(NULL::bots, $3::jsonb) AS given
WHERE bot.user_id = $1 AND bot.bot_id = $2
RETURNING bot.bot_id`,
);

/** Changes what a bot may do. Leases that it has are not touched. */
export async function changeBot(
  db: Queryable,
  userId: string,
  botId: string,
  change: BotChange,
): Promise<Bot> {
  const checked = botChange.safeParse(change);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  for (const domain of checked.data.allowed_domains ?? []) readDomain(domain);
  const [changed] = await run(db, changeStatement, [userId, botId, JSON.stringify(checked.data)]);
  if (!changed) throw new HoldfastError('bot_not_found', botId);
  return await showBot(db, userId, botId);
}
