import type { Configuration } from '@holdfast/contract';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { OutageLog, withOutage } from './outage-log.ts';
import { redactFields, redactLine } from './redact.ts';

export type LogSettings = Pick<Configuration, 'logLevel' | 'logFormat'>;

/** Logs go to stderr, so that what a command prints can be piped: one JSON object a line, or text on a terminal. */
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

/** Whether a program reads the log, and not a person. */
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
