import type { Stats } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

type Hour = Stats['bots']['hours'][number];

const botLimit = 10_000;

const countStatement = statement<{ active: number; total: number }>(
  'count-bots',
  `
SELECT count(*) FILTER (WHERE last_seen_at > now() - interval '1 hour') AS active, count(*) AS total FROM (
  SELECT last_seen_at FROM bots WHERE $1::text IS NULL OR user_id = $1 ORDER BY user_id, bot_id LIMIT ${botLimit}
) bot`,
);

/** Hour by hour of each bot along its key: what they did before is not read. Hours without any are there too. */
const hoursStatement = statement<Hour>(
  'list-bot-hours',
  `
WITH done AS (
  SELECT active.* FROM (
    SELECT user_id, bot_id FROM bots WHERE $1::text IS NULL OR user_id = $1 ORDER BY user_id, bot_id LIMIT ${botLimit}
  ) bot CROSS JOIN LATERAL (
    SELECT * FROM bot_hours
    WHERE user_id = bot.user_id AND bot_id = bot.bot_id AND hour > now() - interval '24 hours'
  ) active
)
SELECT hour, coalesce(sum(pulls), 0)::bigint AS pulls, coalesce(sum(jobs_pulled), 0)::bigint AS jobs_pulled,
  coalesce(sum(jobs_succeeded), 0)::bigint AS jobs_succeeded, coalesce(sum(jobs_failed), 0)::bigint AS jobs_failed
FROM generate_series(date_trunc('hour', now()) - interval '23 hours', date_trunc('hour', now()), interval '1 hour')
  AS hours (hour) LEFT JOIN done USING (hour)
GROUP BY hour ORDER BY hour`,
);

/** What bots did in the last day. */
export async function readBotActivity(db: Queryable, userId: string | undefined): Promise<Stats['bots']> {
  const [[bots], hours] = await Promise.all([
    run(db, countStatement, [userId]),
    run(db, hoursStatement, [userId]),
  ]);
  const succeeded = hours.reduce((sum, { jobs_succeeded }) => sum + jobs_succeeded, 0);
  const failed = hours.reduce((sum, { jobs_failed }) => sum + jobs_failed, 0);
  return {
    active: bots?.active ?? 0,
    total: bots?.total ?? 0,
    success_rate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    hours,
  };
}
