import type { Configuration } from '@holdfast/contract';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { redactFields, redactLine } from './redact.ts';

export type LogSettings = Pick<Configuration, 'logLevel' | 'logFormat'>;

/** Logs go to stderr, so that what a command prints can be piped: one JSON object a line, or text on a terminal. */
export async function createLogger(settings: LogSettings): Promise<Logger> {
  const { logFormat } = settings;
  if (logFormat === 'json' || (logFormat === 'auto' && !process.stderr.isTTY)) {
    return loggerTo(pino.destination({ fd: 2, sync: true }), settings);
  }
  const { default: pretty } = await import('pino-pretty');
  return loggerTo(
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
    settings,
  );
}

export function loggerTo(
  destination: DestinationStream,
  { logLevel }: Pick<LogSettings, 'logLevel'>,
): Logger {
  return pino(
    {
      level: logLevel,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      hooks: { streamWrite: redactLine },
    },
    destination,
  );
}
