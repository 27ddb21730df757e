/** The columns of a Bot, to be read from the alias `bot`. */
export const botColumns = `bot.bot_id, bot.user_id, bot.enabled, bot.max_jobs_per_pull, bot.max_pulls_per_minute,
  bot.allowed_domains, bot.lock_ttl_seconds, bot.created_at, bot.last_seen_at, bot.pulls, bot.jobs_pulled,
  bot.jobs_succeeded, bot.jobs_failed,
  (SELECT count(*) FROM crawl_jobs job WHERE job.status = 'processing' AND job.worker_id = bot.bot_id
    AND job.executor = 'bot') AS jobs_held,
  (SELECT coalesce(sum(hour.pulls), 0) FROM bot_hours hour WHERE hour.user_id = bot.user_id AND hour.bot_id = bot.bot_id
    AND hour.hour >= date_trunc('hour', now()) - interval '1 hour') AS pulls_last_hour,
  round(bot.jobs_succeeded::numeric / nullif(bot.jobs_succeeded + bot.jobs_failed, 0), 4)::float8 AS success_rate`;
