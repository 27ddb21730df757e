import type { Stats } from '@holdfast/contract';
import { Gauge, type Registry } from 'prom-client';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type Backlog, readBacklog } from '../../queue/webhooks/find-deliveries.ts';
import type { StatsReader } from '../stats/stats-reader.ts';

interface BotRow {
  readonly user_id: string;
  readonly bot_id: string;
  readonly pulls: string;
  readonly jobs_pulled: string;
  readonly jobs_succeeded: string;
  readonly jobs_failed: string;
}

const mostBots = 1_000;

const botsStatement = statement<BotRow>(
  'bot-counters',
  `
SELECT user_id, bot_id, pulls::text, jobs_pulled::text, jobs_succeeded::text, jobs_failed::text FROM bots
ORDER BY last_seen_at DESC NULLS LAST LIMIT ${mostBots}`,
);

interface ProxyRow {
  readonly proxy: string;
  readonly server: string;
  readonly requests: string;
  readonly failures: string;
  readonly rests: boolean;
}

const mostProxies = 1_000;

const proxiesStatement = statement<ProxyRow>(
  'proxy-counters',
  `
SELECT proxy, server, requests::text, failures::text, rests_until > now() IS TRUE AS rests FROM proxy_health
ORDER BY proxy, server LIMIT ${mostProxies}`,
);

const tablesStatement = statement<{ name: string; dead: string; live: string }>(
  'tuples',
  `SELECT relname AS name, n_dead_tup::text AS dead, n_live_tup::text AS live FROM pg_stat_user_tables WHERE schemaname = 'public'`,
);

/** Gauges of the whole system, the same in every process: read from the database at each scrape. */
export class SystemGauges {
  readonly #db: Queryable;
  readonly #stats: StatsReader;
  readonly #gauges: ReturnType<typeof makeGauges>;

  constructor(registry: Registry, db: Queryable, stats: StatsReader) {
    this.#db = db;
    this.#stats = stats;
    this.#gauges = makeGauges(registry);
  }

  async read(): Promise<void> {
    const [stats, bots, proxies, tables, backlog] = await Promise.all([
      this.#stats.read(undefined),
      run(this.#db, botsStatement, []),
      run(this.#db, proxiesStatement, []),
      run(this.#db, tablesStatement, []),
      readBacklog(this.#db),
    ]);
    for (const gauge of Object.values(this.#gauges)) gauge.reset();
    this.#setJobs(stats);
    this.#setHealth(stats);
    this.#setBots(stats, bots);
    this.#setWebhooks(backlog);
    this.#setProxies(proxies);
    for (const { name, dead, live } of tables) {
      this.#gauges.tuples.set({ table: name, state: 'dead' }, Number(dead));
      this.#gauges.tuples.set({ table: name, state: 'live' }, Number(live));
    }
  }

  #setJobs({ jobs, pending_pages, stuck, throughput }: Stats): void {
    const gauges = this.#gauges;
    for (const { kind, status, count } of jobs) gauges.jobs.set({ kind, status }, count);
    gauges.pendingPages.set(pending_pages);
    gauges.stuckJobs.set(stuck.count);
    // The last minute is incomplete.
    const last = throughput.minutes.at(-2);
    const ended = { completed: 0, failed: 0, retried: 0 };
    for (const minute of throughput.minutes)
      for (const what of ['completed', 'failed', 'retried'] as const) ended[what] += minute[what];
    for (const what of ['created', 'started', 'completed', 'failed', 'retried'] as const)
      gauges.perMinute.set({ event: what }, last?.[what] ?? 0);
    const runs = ended.completed + ended.failed + ended.retried;
    gauges.retryRate.set(runs === 0 ? 0 : ended.retried / runs);
  }

  #setHealth({ workers, sources, policies }: Stats): void {
    const gauges = this.#gauges;
    for (const state of ['alive', 'sick', 'draining', 'silent'] as const)
      gauges.workers.set({ state }, workers[state]);
    gauges.runningJobs.set(workers.running_jobs);
    gauges.sourcesBlocked.set(sources.blocked.count);
    for (const { id, failure_streak, failed_urls } of sources.in_trouble)
      gauges.sourceFailures.set({ source: id }, Math.max(failure_streak, failed_urls));
    for (const state of ['enabled', 'disabled', 'due', 'failing'] as const)
      gauges.policies.set({ state }, policies[state].count);
  }

  #setWebhooks({ pending, dead, enabled, failing, disabled }: Backlog): void {
    const gauges = this.#gauges;
    gauges.webhookBacklog.set({ state: 'pending' }, pending);
    gauges.webhookBacklog.set({ state: 'dead' }, dead);
    gauges.webhooks.set({ state: 'enabled' }, enabled);
    gauges.webhooks.set({ state: 'failing' }, failing);
    gauges.webhooks.set({ state: 'disabled' }, disabled);
  }

  #setProxies(proxies: readonly ProxyRow[]): void {
    const gauges = this.#gauges;
    for (const { proxy, server, requests, failures, rests } of proxies) {
      gauges.proxyRequests.set({ proxy, server, event: 'sent' }, Number(requests));
      gauges.proxyRequests.set({ proxy, server, event: 'failed' }, Number(failures));
      gauges.proxyResting.set({ proxy, server }, rests ? 1 : 0);
    }
  }

  #setBots({ bots: activity }: Stats, bots: readonly BotRow[]): void {
    const gauges = this.#gauges;
    gauges.activeBots.set(activity.active);
    gauges.pulledPerHour.set(activity.hours.at(-1)?.jobs_pulled ?? 0);
    for (const { user_id: owner, bot_id: bot, ...row } of bots) {
      gauges.botPulls.set({ owner, bot }, Number(row.pulls));
      gauges.botJobs.set({ owner, bot, event: 'pulled' }, Number(row.jobs_pulled));
      gauges.botJobs.set({ owner, bot, event: 'succeeded' }, Number(row.jobs_succeeded));
      gauges.botJobs.set({ owner, bot, event: 'failed' }, Number(row.jobs_failed));
    }
  }
}

function makeGauges(registry: Registry) {
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Gauge<Label>({ name, help, labelNames: [...labelNames], registers: [registry] });
  return {
    jobs: gauge('holdfast_jobs', 'Jobs by kind and status; a lower bound beyond 10,000 per status.', [
      'kind',
      'status',
    ]),
    pendingPages: gauge(
      'holdfast_pending_pages',
      'URLs found and not yet processed, over all running crawls.',
    ),
    stuckJobs: gauge('holdfast_stuck_jobs', 'Jobs whose lease expired and that no watchdog has recovered.'),
    perMinute: gauge('holdfast_jobs_per_minute', 'Job events in the last full minute.', ['event']),
    retryRate: gauge(
      'holdfast_retry_rate',
      'Share of the runs of the last hour that failed and are retried.',
    ),
    workers: gauge('holdfast_workers', 'Workers by state; silent ones have missed heartbeats.', ['state']),
    runningJobs: gauge('holdfast_running_jobs', 'Running jobs, as reported by the workers.'),
    sourcesBlocked: gauge('holdfast_sources_blocked', 'Sources that are paused or disabled.'),
    sourceFailures: gauge('holdfast_source_failure_streak', 'Consecutive failures of sources in trouble.', [
      'source',
    ]),
    policies: gauge('holdfast_policies', 'Policies by state.', ['state']),
    activeBots: gauge('holdfast_active_bots', 'Bots seen in the last hour.'),
    pulledPerHour: gauge('holdfast_jobs_pulled_per_hour', 'Jobs pulled by bots in the current hour.'),
    botPulls: gauge('holdfast_bot_pulls', 'Total pulls by bot.', ['owner', 'bot']),
    botJobs: gauge('holdfast_bot_jobs', 'Total jobs by bot: pulled, succeeded, failed.', [
      'owner',
      'bot',
      'event',
    ]),
    webhookBacklog: gauge(
      'holdfast_webhook_backlog',
      'Pending and dead webhook deliveries; a lower bound beyond 10,000.',
      ['state'],
    ),
    webhooks: gauge('holdfast_webhooks', 'Webhooks by state; failing ones are also enabled.', ['state']),
    proxyRequests: gauge('holdfast_proxy_requests', 'Requests through a proxy server: sent, failed.', [
      'proxy',
      'server',
      'event',
    ]),
    proxyResting: gauge('holdfast_proxy_resting', 'Whether a proxy server is paused after failures.', [
      'proxy',
      'server',
    ]),
    tuples: gauge('holdfast_tuples', 'Live and dead rows by table, estimated by PostgreSQL.', [
      'table',
      'state',
    ]),
  };
}
