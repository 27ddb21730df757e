import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import type { BlockedHostList } from './blocked-hosts.ts';
import { type BotCaller, speakFor } from './bot-caller.ts';
import {
  type ClaimedForBot,
  claimAnyStatement,
  claimInDomainsStatement,
  claimOwnStatement,
} from './claim-for-bot.ts';
import { allowedPart, domainKeys, readDomain } from './domain.ts';
import { enterPull } from './enter-pull.ts';

export interface PullRequest {
  readonly botId: string;
  readonly maxJobs: number;
  readonly domain?: string | undefined;
  /** A pull repeated with it yields the same jobs again. */
  readonly idempotencyKey?: string | undefined;
}

export interface PullOptions {
  readonly pool: pg.Pool;
  readonly blocked: BlockedHostList;
}

const repeatStatement = statement<ClaimedForBot>(
  'repeat-pull',
  `
SELECT jobs, skipped FROM bot_pulls JOIN bots USING (user_id, bot_id)
WHERE user_id = $1 AND bot_id = $2 AND idempotency_key = $3 AND bots.enabled`,
);

/** Leases jobs that are ready or due to a bot, highest priority first, then oldest. */
export async function pullJobs(
  { pool, blocked }: PullOptions,
  caller: BotCaller,
  request: PullRequest,
): Promise<ClaimedForBot> {
  speakFor(caller, request.botId);
  const asked = request.domain === undefined ? null : readDomain(request.domain);
  const left = await blocked.read();
  const repeated = await repeatPull(pool, caller, request);
  if (repeated) return repeated;
  return await inTransaction(pool, async (client) => {
    const limits = await enterPull(client, caller.userId, request.botId);
    // The same pull may have come twice at once: now that the bot's row is ours, the other's answer is there.
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

async function repeatPull(
  db: Queryable,
  { userId }: BotCaller,
  { botId, idempotencyKey }: PullRequest,
): Promise<ClaimedForBot | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const [repeated] = await run(db, repeatStatement, [userId, botId, idempotencyKey]);
  return repeated;
}
