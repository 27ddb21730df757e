import { errors, exitCodes, HoldfastError } from '@holdfast/contract';
import { asCalled } from '../base/process/installation.ts';
import { asTyped } from './as-typed.ts';

const actionNames = /\b(?:runNow|resetLock|retryUrls)\b/g;

/** Says on stderr what went wrong and what to do, and sets the exit code. No stack: that is for the debug log. */
export function reportError(error: unknown, json: boolean): void {
  const known = toHoldfastError(error);
  process.exitCode = errors[known.code].exit ?? exitCodes.failure;
  if (json) {
    console.error(JSON.stringify({ error: known.code, message: known.message, hint: known.hint }));
    return;
  }
  const text = asCalled(`holdfast: ${known.message}\n  ${known.hint}`);
  console.error(known.code === 'action_not_allowed' ? text.replaceAll(actionNames, asTyped) : text);
  if (process.env.HOLDFAST_LOG_LEVEL === 'debug' || process.env.HOLDFAST_LOG_LEVEL === 'trace')
    console.error(error);
}

function toHoldfastError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as { code?: string; message?: string };
  if (isConnectionFailure(code)) return new HoldfastError('database_unavailable', message);
  return new HoldfastError('internal_error', message ?? String(error), {
    hint: 'Set HOLDFAST_LOG_LEVEL=debug to see where, and please report it.',
  });
}

/** Sockets that failed, and PostgreSQL's classes 08 (connection), 57P (shut down) and 53 (out of resources). */
function isConnectionFailure(code: string | undefined): boolean {
  return /^(ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|08|57P|53)/.test(code ?? '');
}
