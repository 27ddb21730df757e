import type { Configuration } from '@holdfast/contract';
import { type Logger, pino, stdTimeFunctions } from 'pino';

export type LogSettings = Pick<Configuration, 'logLevel' | 'logFormat'>;

/** Logs go to stderr, so that what a command prints can be piped: one JSON object a line, or text on a terminal. */
export async function createLogger({ logLevel, logFormat }: LogSettings): Promise<Logger> {
  const options = {
    level: logLevel,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: ['password', 'url.password', 'authorization', 'headers.authorization', 'headers.cookie'],
  };
  if (logFormat === 'json' || (logFormat === 'auto' && !process.stderr.isTTY)) {
    return pino(options, pino.destination({ fd: 2, sync: true }));
  }
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
  );
}
