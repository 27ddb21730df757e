import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';

/** While the database is away, so often at least somebody who looks at the log is told. */
const remindMs = 60_000;
/** Of the connection and of the server as a whole; what is wrong with one statement is not among them. */
const outageCode =
  /^(?:08|57P0[1-3]|53300|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/;
const outageText = /connection terminated|timeout exceeded when trying to connect|connection was closed/i;
const heldBack = 'more lines about the database are held back until it answers again';

const outage = Symbol('outage of the database');

/**
 * What a process logs when the database goes away: every part of it that needs the database would say so, some every second.
 * One line tells of it, one a minute reminds of it, and one says when it is over.
 */
export class OutageLog {
  #since: number | undefined;
  #toldAt = 0;
  #held = 0;

  /** The line to write, or undefined when it is held back. */
  filter(args: readonly unknown[], now = performance.now()): readonly unknown[] | undefined {
    if (!isOutage(args[0])) return args;
    this.#since ??= now;
    if (this.#toldAt > 0 && now - this.#toldAt < remindMs) {
      this.#held++;
      return undefined;
    }
    this.#toldAt = now;
    const [fields, message, ...others] = args;
    return [fields, typeof message === 'string' ? `${message}; ${heldBack}` : heldBack, ...others];
  }

  /** A connection was made, or one served somebody to the end. */
  over(log: Logger, now = performance.now()): void {
    if (this.#since === undefined) return;
    const fields = { away_seconds: Math.round((now - this.#since) / 1000), lines_held_back: this.#held };
    this.#since = undefined;
    this.#toldAt = 0;
    this.#held = 0;
    log.info(fields, 'The database answers again');
  }
}

/** A logger that its children share it with. */
export function withOutage(log: Logger, its: OutageLog): Logger {
  return Object.assign(log, { [outage]: its });
}

/** Loggers of tests have none. */
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
