import { type Bot, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { botColumns } from './bot-columns.ts';

export interface BotFilter {
  readonly owner?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** The last bot of the page before. */
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

const showStatement = statement<Bot>(
  'show-bot',
  `SELECT ${botColumns} FROM bots bot WHERE user_id = $1 AND bot_id = $2`,
);

/** Bots, by owner and name. */
export function listBots(
  db: Queryable,
  { owner, enabled, after, limit = 50 }: BotFilter = {},
): Promise<Bot[]> {
  return run(db, listStatement, [owner, enabled, after?.user_id, after?.bot_id, limit]);
}

export async function showBot(db: Queryable, userId: string, botId: string): Promise<Bot> {
  const [bot] = await run(db, showStatement, [userId, botId]);
  if (!bot) throw new HoldfastError('bot_not_found', botId);
  return bot;
}
