import { HoldfastError } from '@holdfast/contract';
import type { AskedLease, LeaseVerdict } from './bot-leases.ts';

/** Why a bot's write was refused. A token that was good once, and has no answer to repeat, names a lock that is over. */
export function leaseError(verdict: LeaseVerdict, { jobId, botId }: AskedLease): HoldfastError {
  if (verdict === 'held' || verdict === 'earlier') return new HoldfastError('lock_expired', `job ${jobId}`);
  return new HoldfastError(
    verdict,
    verdict === 'bot_not_allowed' ? `bot ${botId} is disabled` : `job ${jobId}`,
  );
}
