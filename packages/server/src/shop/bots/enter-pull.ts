import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { BotRateLimited } from './bot-rate-limited.ts';

/** What a bot may have of one pull. */
export interface PullLimits {
  readonly max_jobs_per_pull: number;
  readonly allowed_domains: readonly string[] | null;
  readonly lock_ttl_seconds: number | null;
}

const isOver = "bot.window_start <= now() - interval '1 minute'";

/** Locks the bot's row until the transaction ends, so that pulls of one bot come one after the other. */
const enterStatement = statement<PullLimits>(
  'enter-pull',
  `
INSERT INTO bots AS bot (user_id, bot_id, last_seen_at, pulls, window_pulls) VALUES ($1, $2, now(), 1, 1)
ON CONFLICT (user_id, bot_id) DO UPDATE SET
  last_seen_at = now(), pulls = bot.pulls + 1,
  window_start = CASE WHEN ${isOver} THEN now() ELSE bot.window_start END,
  window_pulls = CASE WHEN ${isOver} THEN 1 ELSE bot.window_pulls + 1 END
WHERE bot.enabled AND (bot.max_pulls_per_minute IS NULL OR ${isOver} OR bot.window_pulls < bot.max_pulls_per_minute)
RETURNING max_jobs_per_pull, allowed_domains, lock_ttl_seconds`,
);

const whyNotStatement = statement<{ enabled: boolean; limit: number; wait: number }>(
  'why-no-pull',
  `
SELECT enabled, max_pulls_per_minute AS limit,
  ceil(extract(epoch FROM window_start + interval '1 minute' - now()))::integer AS wait
FROM bots WHERE user_id = $1 AND bot_id = $2`,
);

/** Registers a bot that nobody knew, counts its pull, and says what it may have. */
export async function enterPull(db: Queryable, userId: string, botId: string): Promise<PullLimits> {
  const [limits] = await run(db, enterStatement, [userId, botId]);
  if (limits) return limits;
  const [refused] = await run(db, whyNotStatement, [userId, botId]);
  if (refused?.enabled === false) throw new HoldfastError('bot_not_allowed', `bot ${botId} is disabled`);
  throw new BotRateLimited(`${refused?.limit} pulls a minute`, Math.max(1, refused?.wait ?? 1));
}
