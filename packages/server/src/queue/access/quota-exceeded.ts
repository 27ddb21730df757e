import { HoldfastError } from '@holdfast/contract';

export class QuotaExceeded extends HoldfastError {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds: number, hint?: string) {
    super('quota_exceeded', detail, hint === undefined ? {} : { hint });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
