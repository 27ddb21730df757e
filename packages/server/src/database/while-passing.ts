import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 250;

/** The connection or the server is at fault, not the statement: repeating it may help. */
export function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) return /terminated|timeout|Connection/i.test(message ?? '');
  return /^(08|53|57|55P03|40|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/.test(code);
}

/** Repeats a statement that may be repeated while the database is away, as long as `mayGoOn` says so. */
export async function whilePassing<Result>(
  mayGoOn: () => boolean,
  write: () => Promise<Result>,
  onFailure: (error: unknown) => void = () => {},
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) || !mayGoOn()) throw error;
      onFailure(error);
      await delay(retryMs);
    }
  }
}
