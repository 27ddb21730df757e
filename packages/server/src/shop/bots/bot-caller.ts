import { HoldfastError } from '@holdfast/contract';

/** Whose key it is that speaks for a bot. */
export interface BotCaller {
  readonly userId: string;
  /** Jobs of every owner, not only its own. */
  readonly seesEveryOwner: boolean;
  /** The one bot that the key speaks for; null: any of its owner. */
  readonly boundTo: string | null;
}

/** Who a bot is comes from its key, never from what it says. */
export function speakFor({ boundTo }: BotCaller, botId: string): void {
  if (boundTo === null || boundTo === botId) return;
  throw new HoldfastError('bot_not_allowed', 'the key speaks for another bot');
}
