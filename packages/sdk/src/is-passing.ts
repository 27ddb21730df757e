import { HoldfastApiError } from './api-error.ts';
import { HoldfastConnectionError } from './connection-error.ts';

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof HoldfastConnectionError) return true;
  if (!(error instanceof HoldfastApiError)) return false;
  return error.status >= 500 || error.status === 429 || error.status === 408;
}
