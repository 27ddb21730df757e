import {
  type Bot,
  type BotChange,
  botChange,
  type CreatedBot,
  describeIssues,
  HoldfastError,
  type NewBot,
  newBot,
} from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { createKey } from '../../queue/access/keys.ts';
import { readDomain } from './domain.ts';

/** Who calls on behalf of a bot, as its key says. */
export interface BotCaller {
  readonly userId: string;
  /** Jobs of every owner, not only its own. */
  readonly seesEveryOwner: boolean;
  /** The only bot that the key may act as; null: any bot of its owner. */
  readonly boundTo: string | null;
}

/** Throws unless the caller's key may act as this bot. */
export function assertSpeaksFor({ boundTo }: BotCaller, botId: string): void {
  if (boundTo === null || boundTo === botId) return;
  throw new HoldfastError('bot_not_allowed', 'the key belongs to another bot');
}

/** The columns of a Bot, read from the alias `bot`. */
const botColumns = `bot.bot_id, bot.user_id, bot.enabled, bot.max_jobs_per_pull, bot.max_pulls_per_minute,
  bot.allowed_domains, bot.lock_ttl_seconds, bot.created_at, bot.last_seen_at, bot.pulls, bot.jobs_pulled,
  bot.jobs_succeeded, bot.jobs_failed,
  (SELECT count(*) FROM crawl_jobs job WHERE job.status = 'processing' AND job.worker_id = bot.bot_id
    AND job.executor = 'bot') AS jobs_held,
  (SELECT coalesce(sum(hour.pulls), 0) FROM bot_hours hour WHERE hour.user_id = bot.user_id AND hour.bot_id = bot.bot_id
    AND hour.hour >= date_trunc('hour', now()) - interval '1 hour') AS pulls_last_hour,
  round(bot.jobs_succeeded::numeric / nullif(bot.jobs_succeeded + bot.jobs_failed, 0), 4)::float8 AS success_rate`;

interface BotFilter {
  readonly owner?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Cursor: the last bot on the previous page. */
  readonly after?: Pick<Bot, 'user_id' | 'bot_id'> | undefined;
  readonly limit?: number;
}

const listStatement = statement<Bot>(
  'list-bots',
  `
SELECT ${botColumns} FROM bots bot
WHERE ($1::text IS NULL OR user_id = $1) AND ($2::boolean IS NULL OR enabled = $2)
  AND ($3::text IS NULL OR (user_id, bot_id) > ($3, $4))
ORDER BY user_id, bot_id LIMIT $5`,
);

/** Bots, by owner and name. */
export function listBots(
  db: Queryable,
  { owner, enabled, after, limit = 50 }: BotFilter = {},
): Promise<Bot[]> {
  return run(db, listStatement, [owner, enabled, after?.user_id, after?.bot_id, limit]);
}

const showStatement = statement<Bot>(
  'show-bot',
  `SELECT ${botColumns} FROM bots bot WHERE user_id = $1 AND bot_id = $2`,
);

export async function showBot(db: Queryable, userId: string, botId: string): Promise<Bot> {
  const [bot] = await run(db, showStatement, [userId, botId]);
  if (!bot) throw new HoldfastError('bot_not_found', botId);
  return bot;
}

const createStatement = statement<{ bot_id: string }>(
  'create-bot',
  'INSERT INTO bots (user_id, bot_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING bot_id',
);

/** Creates a bot and a token that may act as this bot only. Only this answer contains the token. */
export async function createBot(pool: pg.Pool, request: NewBot, defaultOwner: string): Promise<CreatedBot> {
  const checked = newBot.safeParse(request);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  const { bot_id, user_id = defaultOwner, expires_at, ...settings } = checked.data;
  return await inTransaction(pool, async (db) => {
    const [created] = await run(db, createStatement, [user_id, bot_id]);
    if (!created) throw new HoldfastError('bot_exists', bot_id);
    if (Object.keys(settings).length > 0) await changeBot(db, user_id, bot_id, settings);
    const key = { name: `bot ${bot_id}`, user_id, scopes: ['bots' as const], bot_id };
    const { secret } = await createKey(db, expires_at === undefined ? key : { ...key, expires_at });
    return { ...(await showBot(db, user_id, bot_id)), token: secret };
  });
}

/** Fields that are not named stay as they are. */
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

/** Changes the limits of a bot. Its current leases are unaffected. */
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

/** Clients repeat a pull within moments, and its leases end within a day. */
const keepPullsHours = 24;
const keepHoursDays = 90;

const pruneStatement = statement<never>(
  'prune-bots',
  `
WITH pulls AS (
  DELETE FROM bot_pulls WHERE at < now() - make_interval(hours => $1)
)
DELETE FROM bot_hours WHERE hour < now() - make_interval(days => $2)`,
);

/** Deletes the answers of old pulls and old hourly counters. Submissions are deleted with their jobs. */
export async function pruneBots(db: Queryable): Promise<void> {
  await run(db, pruneStatement, [keepPullsHours, keepHoursDays]);
}
