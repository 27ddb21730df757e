import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';

/** Reminder interval during an outage. */
const remindMs = 60_000;
/** Codes of a lost connection or server, not of a faulty statement. */
const outageCode =
  /^(?:08|57P0[1-3]|53300|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/;
const outageText = /connection terminated|timeout exceeded when trying to connect|connection was closed/i;
const suppressedNote = 'further messages about the database are suppressed until it answers again';

const outage = Symbol('outage of the database');

/**
 * Reduces what a process logs during an outage of the database, which every part that needs it would report, some every
 * second. One line reports the outage, one a minute repeats it, and one reports its end.
 */
export class OutageLog {
  #since: number | undefined;
  #reportedAt = 0;
  #suppressed = 0;

  /** The line to write; undefined if it is suppressed. */
  filter(args: readonly unknown[], now = performance.now()): readonly unknown[] | undefined {
    if (!isOutage(args[0])) return args;
    this.#since ??= now;
    if (this.#reportedAt > 0 && now - this.#reportedAt < remindMs) {
      this.#suppressed++;
      return undefined;
    }
    this.#reportedAt = now;
    const [fields, message, ...others] = args;
    return [
      fields,
      typeof message === 'string' ? `${message}; ${suppressedNote}` : suppressedNote,
      ...others,
    ];
  }

  /** Called when a connection was opened or has been used without an error. */
  over(log: Logger, now = performance.now()): void {
    if (this.#since === undefined) return;
    const fields = {
      away_seconds: Math.round((now - this.#since) / 1000),
      lines_held_back: this.#suppressed,
    };
    this.#since = undefined;
    this.#reportedAt = 0;
    this.#suppressed = 0;
    log.info(fields, 'The database answers again');
  }
}

/** Attaches the outage log to a logger; its children inherit it. */
export function withOutage(log: Logger, its: OutageLog): Logger {
  return Object.assign(log, { [outage]: its });
}

/** Undefined for the loggers of tests. */
export function outageOf(log: Logger): OutageLog | undefined {
  return (log as Logger & { [outage]?: OutageLog })[outage];
}

function isOutage(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  const { err, code } = fields as { err?: unknown; code?: unknown };
  if (err === undefined) return typeof code === 'string' && outageCode.test(code);
  return isOutageError(err);
}

function isOutageError(error: unknown): boolean {
  if (error instanceof HoldfastError) return error.code === 'database_unavailable';
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return outageCode.test(code);
  return typeof message === 'string' && outageText.test(message);
}
