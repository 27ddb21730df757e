import type { Configuration, Count, Stats } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { listSources } from '../../governor/sources/list-sources.ts';
import { sourceView } from '../../governor/sources/source.ts';
import { listWorkers } from '../../queue/workers/worker-list.ts';

const shown = 20;
const sourceLimit = 1_000;
const workerLimit = 1_000;
const policyLimit = 10_000;
const botLimit = 10_000;

/** Owners see counts only; machines are for operators. */
export async function countWorkers(
  db: Queryable,
  configuration: Pick<Configuration, 'heartbeatSeconds'>,
  userId: string | undefined,
): Promise<Stats['workers']> {
  const workers = await listWorkers(db, configuration, { limit: workerLimit });
  const inState = (state: string) => workers.filter((worker) => worker.state === state);
  const heard = workers.filter(({ state }) => state !== 'silent');
  return {
    alive: inState('alive').length,
    sick: inState('sick').length,
    draining: inState('draining').length,
    silent: inState('silent').length,
    running_jobs: heard.reduce((sum, { running_jobs }) => sum + running_jobs, 0),
    // A one-shot crawl takes no other job: its place is the one it fills.
    max_jobs: heard.reduce((sum, { max_jobs, running_jobs }) => sum + Math.max(max_jobs, running_jobs), 0),
    in_trouble: userId === undefined ? [...inState('sick'), ...inState('silent')].slice(0, shown) : [],
  };
}

/** Paused and disabled sources. Owners see the configured ones only. */
export async function countSources(db: Queryable, userId: string | undefined): Promise<Stats['sources']> {
  const isBound = userId !== undefined;
  const sources = await listSources(db, {
    blocked: true,
    configured: isBound ? true : undefined,
    limit: sourceLimit + 1,
  });
  return {
    blocked: {
      count: Math.min(sources.length, sourceLimit),
      precision: sources.length > sourceLimit ? 'at_least' : 'exact',
    },
    in_trouble: sources.slice(0, shown).map((source) => sourceView(source, { seesEveryOwner: !isBound })),
  };
}

interface PolicyRow {
  readonly enabled: boolean;
  readonly due: boolean;
  readonly failing: boolean;
  readonly count: number;
}

const policiesText = (condition: string, order: string) => `
SELECT enabled, due, failing, count(*) AS count FROM (
  SELECT enabled, enabled AND next_run_at <= now() AS due, enabled AND failure_count > 0 AS failing FROM crawl_policies
  WHERE ${condition} ORDER BY ${order} LIMIT ${policyLimit + 1}
) policy GROUP BY enabled, due, failing`;

const policiesStatements = {
  all: statement<PolicyRow>('count-policies', policiesText('$1::text IS NULL', 'id')),
  owner: statement<PolicyRow>('count-own-policies', policiesText('user_id = $1', 'kind, url')),
} as const;

export async function countPolicies(db: Queryable, userId: string | undefined): Promise<Stats['policies']> {
  const rows = await run(db, policiesStatements[userId === undefined ? 'all' : 'owner'], [userId]);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const countOf = (counts: (row: PolicyRow) => boolean): Count => ({
    count: rows.filter(counts).reduce((sum, { count }) => sum + count, 0),
    precision: total > policyLimit ? 'at_least' : 'exact',
  });
  return {
    enabled: countOf(({ enabled }) => enabled),
    disabled: countOf(({ enabled }) => !enabled),
    due: countOf(({ due }) => due),
    failing: countOf(({ failing }) => failing),
  };
}

const countBotsStatement = statement<{ active: number; total: number }>(
  'count-bots',
  `
SELECT count(*) FILTER (WHERE last_seen_at > now() - interval '1 hour') AS active, count(*) AS total FROM (
  SELECT last_seen_at FROM bots WHERE $1::text IS NULL OR user_id = $1 ORDER BY user_id, bot_id LIMIT ${botLimit}
) bot`,
);

/** The last 24 hours of each bot along its key; older ones are not read. Hours without activity are included. */
const botHoursStatement = statement<Stats['bots']['hours'][number]>(
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

export async function readBotActivity(db: Queryable, userId: string | undefined): Promise<Stats['bots']> {
  const [[bots], hours] = await Promise.all([
    run(db, countBotsStatement, [userId]),
    run(db, botHoursStatement, [userId]),
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
