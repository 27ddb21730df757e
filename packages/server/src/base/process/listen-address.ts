import { once } from 'node:events';
import { createServer } from 'node:net';
import { HoldfastError } from '@holdfast/contract';

/** Checked before a database is created or opened, so that a failed start leaves nothing behind. */
export async function assertCanListen(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw await listenError(error, host, port);
  }
  probe.close();
  await once(probe, 'close');
}

/** The error to report when listening on an address fails. */
export async function listenError(error: unknown, host: string, port: number): Promise<unknown> {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    const address = httpAddress(host, port);
    const hint = `Holdfast already runs there: open ${address}. For another one, choose another --port (0 takes a free one).`;
    return new HoldfastError('address_taken', `${host}:${port}`, (await isHoldfast(address)) ? { hint } : {});
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
    return new HoldfastError('config_invalid', `cannot listen on ${host}:${port}: ${message}`);
  }
  return error;
}

async function isHoldfast(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(1000) });
    const health: unknown = await answer.json();
    return typeof health === 'object' && health !== null && 'ready' in health;
  } catch {
    return false;
  }
}

/** The URL of a server that listens on this host and port. */
export function httpAddress(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
