import { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import type { BlockedHostList } from './blocked-hosts.ts';
import { assertSpeaksFor, type BotCaller } from './bot-registry.ts';
import {
  type ClaimedForBot,
  claimAnyStatement,
  claimInDomainsStatement,
  claimOwnStatement,
} from './claim-for-bot.ts';
import { allowedPart, domainKeys, readDomain } from './domain.ts';

export interface PullRequest {
  readonly botId: string;
  readonly maxJobs: number;
  readonly domain?: string | undefined;
  /** Repeating a pull with the same key returns the same jobs. */
  readonly idempotencyKey?: string | undefined;
}

export interface PullOptions {
  readonly pool: pg.Pool;
  readonly blocked: BlockedHostList;
}

/** Leases ready or due jobs to a bot, highest priority first, then oldest. */
export async function pullJobs(
  { pool, blocked }: PullOptions,
  caller: BotCaller,
  request: PullRequest,
): Promise<ClaimedForBot> {
  assertSpeaksFor(caller, request.botId);
  const asked = request.domain === undefined ? null : readDomain(request.domain);
  const left = await blocked.read();
  const repeated = await repeatPull(pool, caller, request);
  if (repeated) return repeated;
  return await inTransaction(pool, async (client) => {
    const limits = await admitPull(client, caller.userId, request.botId);
    // The same pull may have arrived twice at once: with the bot's row locked, the other's answer is visible.
    const answered = await repeatPull(client, caller, request);
    if (answered) return answered;
    const domains = allowedPart(asked, limits.allowed_domains?.map(readDomain) ?? null);
    const common = [
      request.botId,
      caller.userId,
      Math.min(request.maxJobs, limits.max_jobs_per_pull),
      limits.lock_ttl_seconds,
      left.hosts,
      left.ports,
      request.idempotencyKey,
    ];
    const claim = domains
      ? run(client, claimInDomainsStatement, [...common, ...domainKeys(domains), caller.seesEveryOwner])
      : run(client, caller.seesEveryOwner ? claimAnyStatement : claimOwnStatement, common);
    const [claimed] = await claim;
    return claimed ?? { jobs: [], skipped: 0 };
  });
}

const repeatStatement = statement<ClaimedForBot>(
  'repeat-pull',
  `
SELECT jobs, skipped FROM bot_pulls JOIN bots USING (user_id, bot_id)
WHERE user_id = $1 AND bot_id = $2 AND idempotency_key = $3 AND bots.enabled`,
);

async function repeatPull(
  db: Queryable,
  { userId }: BotCaller,
  { botId, idempotencyKey }: PullRequest,
): Promise<ClaimedForBot | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const [repeated] = await run(db, repeatStatement, [userId, botId, idempotencyKey]);
  return repeated;
}

/** The limits of one pull. */
interface PullLimits {
  readonly max_jobs_per_pull: number;
  readonly allowed_domains: readonly string[] | null;
  readonly lock_ttl_seconds: number | null;
}

const isOver = "bot.window_start <= now() - interval '1 minute'";

/** Locks the bot's row until the transaction ends, so that a bot's pulls run one at a time. */
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

/** Counts the pull against the bot's rate limit and returns its limits. Registers unknown bots. */
async function admitPull(db: Queryable, userId: string, botId: string): Promise<PullLimits> {
  const [limits] = await run(db, enterStatement, [userId, botId]);
  if (limits) return limits;
  const [refused] = await run(db, whyNotStatement, [userId, botId]);
  if (refused?.enabled === false) throw new HoldfastError('bot_not_allowed', `bot ${botId} is disabled`);
  throw new BotRateLimited(`${refused?.limit} pulls a minute`, Math.max(1, refused?.wait ?? 1));
}

class BotRateLimited extends HoldfastError {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds: number) {
    super('rate_limited', detail);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
