import { type CreatedBot, describeIssues, HoldfastError, type NewBot, newBot } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { createKey } from '../../queue/access/keys.ts';
import { showBot } from './bot-registry.ts';
import { changeBot } from './change-bot.ts';

const createStatement = statement<{ bot_id: string }>(
  'create-bot',
  'INSERT INTO bots (user_id, bot_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING bot_id',
);

/** Makes a bot and a token that speaks for it alone. The token is in the answer and nowhere else. */
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
