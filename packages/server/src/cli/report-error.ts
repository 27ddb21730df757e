import { errors, exitCodes, HoldfastError } from '@holdfast/contract';
import { asCalled } from '../base/process/installation.ts';
import { commandNameOf } from './check-flags.ts';

const actionNames = /\b(?:runNow|resetLock|retryUrls)\b/g;

/** Prints an error and what to do about it, and sets the exit code. Stacks are for the debug log. */
export function reportError(error: unknown, json: boolean): void {
  const known = toHoldfastError(error);
  process.exitCode = errors[known.code].exit ?? exitCodes.failure;
  if (json) {
    console.error(JSON.stringify({ error: known.code, message: known.message, hint: known.hint }));
    return;
  }
  const text = asCalled(`holdfast: ${known.message}\n  ${known.hint}`);
  console.error(known.code === 'action_not_allowed' ? text.replaceAll(actionNames, commandNameOf) : text);
  if (process.env.HOLDFAST_LOG_LEVEL === 'debug' || process.env.HOLDFAST_LOG_LEVEL === 'trace')
    console.error(error);
}

function toHoldfastError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as { code?: string; message?: string };
  if (isConnectionFailure(code)) return new HoldfastError('database_unavailable', message);
  return new HoldfastError('internal_error', message ?? String(error), {
    hint: 'Set HOLDFAST_LOG_LEVEL=debug to see where it happened, and please report it.',
  });
}

/** Failed sockets, and PostgreSQL's classes 08 (connection), 57P (shut down) and 53 (out of resources). */
function isConnectionFailure(code: string | undefined): boolean {
  return /^(ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|08|57P|53)/.test(code ?? '');
}

export interface ActionOutcome {
  /** Printed with --json. */
  readonly changed: object;
  readonly message: string;
  /** Printed on standard error, so that programs which read the output do not see it. */
  readonly note?: string | undefined;
}

/** Acts on each id by itself: a refusal is reported, and the rest is carried out. */
export async function actOnEach(
  ids: readonly string[],
  json: boolean,
  act: (id: string) => Promise<ActionOutcome>,
): Promise<void> {
  for (const id of ids) {
    try {
      const { changed, message, note } = await act(id);
      console.log(json ? JSON.stringify(changed) : message);
      if (note !== undefined) console.error(note);
    } catch (error) {
      if (!(error instanceof HoldfastError) || errors[error.code].http >= 500) throw error;
      reportError(error, json);
    }
  }
}
