import type { Configuration } from '@holdfast/contract';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { OutageLog, withOutage } from './outage-log.ts';

type LogSettings = Pick<Configuration, 'logLevel' | 'logFormat'>;

/** Logs go to stderr, so that the output of commands can be piped: one JSON object per line, or text on a terminal. */
export async function createLogger(settings: LogSettings): Promise<Logger> {
  if (logsJson(settings)) {
    return loggerTo(pino.destination({ fd: 2, sync: true }), settings);
  }
  const { default: pretty } = await import('pino-pretty');
  return loggerTo(
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
    settings,
  );
}

/** Whether log lines are JSON, for programs, and not text, for people. */
export function logsJson({ logFormat }: Pick<LogSettings, 'logFormat'>): boolean {
  return logFormat === 'json' || (logFormat === 'auto' && !process.stderr.isTTY);
}

export function loggerTo(
  destination: DestinationStream,
  { logLevel }: Pick<LogSettings, 'logLevel'>,
): Logger {
  const outage = new OutageLog();
  const log = pino(
    {
      level: logLevel,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      hooks: {
        streamWrite: redactLine,
        logMethod(args, method) {
          const line = outage.filter(args);
          if (line) method.apply(this, line as typeof args);
        },
      },
    },
    destination,
  );
  return withOutage(log, outage);
}

const hidden = '[redacted]';
const secretName = /^(?:set-)?cookie$|authorization|passw(?:or)?d|secret|token|api[-_]?key|credential/i;
/** User info in URLs, credentials in headers, API keys and webhook secrets. */
const secretText: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"\\]{1,500}@/gi, `$1${hidden}@`],
  [/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/\bhf_[\w-]{43}/g, hidden],
  [/\bwhsec_[A-Za-z0-9+/]{24,}={0,2}/g, hidden],
];
const maxDepth = 6;

/** The fields of a log line, with the values of secret names redacted at any depth. */
function redactFields(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecret(name, value) ? hidden : redactWithin(value, depth + 1),
    ]),
  );
}

/** A log line with everything redacted that looks like a secret. */
function redactLine(line: string): string {
  return secretText.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), line);
}

function isSecret(name: string, value: unknown): boolean {
  return secretName.test(name) && (typeof value === 'string' || typeof value === 'object') && value !== null;
}

function redactWithin(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => redactWithin(item, depth));
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return isPlain ? redactFields(value as Record<string, unknown>, depth) : value;
}
