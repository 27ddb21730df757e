import { HoldfastError } from '@holdfast/contract';

export class BotRateLimited extends HoldfastError {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds: number) {
    super('rate_limited', detail);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
