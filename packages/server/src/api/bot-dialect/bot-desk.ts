import type pg from 'pg';
import { BlockedHostList } from '../../shop/bots/blocked-hosts.ts';
import { foreignToken, type RequestedLease } from '../../shop/bots/bot-leases.ts';
import { assertSpeaksFor, type BotCaller } from '../../shop/bots/bot-registry.ts';
import { LeaseTokens } from '../../shop/bots/lease-tokens.ts';
import { SubmissionBatcher } from '../../shop/bots/submission-batcher.ts';
import type { Caller } from '../caller.ts';
import type { ApiContext, ApiServer } from '../route-group.ts';

/** State that the bot routes of one process share. */
export class BotDesk {
  readonly pool: pg.Pool;
  readonly blocked: BlockedHostList;
  readonly submissions: SubmissionBatcher;
  #tokens: Promise<LeaseTokens> | undefined;

  constructor({ pool, log, listener }: Pick<ApiContext, 'pool' | 'log' | 'listener'>) {
    this.pool = pool;
    this.blocked = new BlockedHostList(pool);
    this.submissions = new SubmissionBatcher(pool, log);
    listener.on('source', () => this.blocked.forget());
  }

  /** Opened on first use, so that the server starts without the database. */
  tokens(): Promise<LeaseTokens> {
    this.#tokens ??= LeaseTokens.open(this.pool).catch((error: unknown) => {
      this.#tokens = undefined;
      throw error;
    });
    return this.#tokens;
  }

  /** The lease that a request names, if the key may act for the bot. */
  async leaseOf(
    caller: BotCaller,
    botId: string,
    request: { readonly job_id: string; readonly lease_token?: string | null | undefined },
  ): Promise<RequestedLease> {
    assertSpeaksFor(caller, botId);
    const { userId, seesEveryOwner } = caller;
    const { job_id: jobId, lease_token } = request;
    const holder = { userId, botId };
    const token = lease_token
      ? ((await this.tokens()).fenceOf(lease_token, jobId, holder) ?? foreignToken)
      : null;
    return { jobId, botId, userId, seesEveryOwner, token };
  }
}

export function botCaller({ userId, seesEveryOwner, key }: Caller): BotCaller {
  return { userId, seesEveryOwner, boundTo: key.bot_id };
}

export type BotRoute = (server: ApiServer, desk: BotDesk) => void;

export const botAccess = { access: { scope: 'bots' } } as const;
export const botTags = ['bots'];

/** Answers are serialised by hand, so that a price does not become a float. */
export const json = 'application/json; charset=utf-8';
