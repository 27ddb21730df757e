import { HoldfastError } from '@holdfast/contract';

/** Why nobody can be listened to there, in words that say what to change. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new HoldfastError('address_taken', `${host}:${port}`);
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
    return new HoldfastError('config_invalid', `cannot listen on ${host}:${port}: ${message}`);
  }
  return error;
}
