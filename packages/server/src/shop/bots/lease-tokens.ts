import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { instanceSecret } from '../../base/database/instance-secret.ts';
import type { Queryable } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';

/** The bot that a token was issued to. */
export interface TokenHolder {
  readonly userId: string;
  readonly botId: string;
}

const fenceBytes = 8;
const macBytes = 32;

/**
 * Tokens that prove a lease: the fence and an HMAC-SHA256 over job, fence and bot, under a secret that all API processes share.
 * Nothing is stored to check them.
 */
export class LeaseTokens {
  /** A key object, because signing with raw bytes imports them every time, which is five times slower. */
  readonly #secret: KeyObject;

  private constructor(secret: Buffer) {
    this.#secret = createSecretKey(secret);
  }

  static async open(db: Queryable): Promise<LeaseTokens> {
    return new LeaseTokens(await instanceSecret(db, 'lease_tokens'));
  }

  sign(lease: HeldJob, holder: TokenHolder): string {
    const fence = Buffer.alloc(fenceBytes);
    fence.writeBigUInt64BE(BigInt(lease.fence));
    return Buffer.concat([fence, this.#mac(lease, holder)]).toString('base64url');
  }

  /** The fence in a token; undefined if it was not issued to this bot for this job. */
  fenceOf(token: string, jobId: string, holder: TokenHolder): number | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== fenceBytes + macBytes) return undefined;
    const fence = Number(bytes.readBigUInt64BE());
    if (!Number.isSafeInteger(fence)) return undefined;
    const expected = this.#mac({ id: jobId, fence }, holder);
    return timingSafeEqual(bytes.subarray(fenceBytes), expected) ? fence : undefined;
  }

  #mac({ id, fence }: HeldJob, { userId, botId }: TokenHolder): Buffer {
    // JSON keeps the parts apart, whatever characters they contain.
    const lease = JSON.stringify([id.toLowerCase(), fence, userId, botId]);
    return createHmac('sha256', this.#secret).update(lease).digest();
  }
}
