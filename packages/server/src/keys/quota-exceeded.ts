import { HoldfastError } from '@holdfast/contract';

export class QuotaExceeded extends HoldfastError {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds: number) {
    super('quota_exceeded', detail);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
