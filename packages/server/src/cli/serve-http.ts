import { setTimeout as wait } from 'node:timers/promises';
import { type Configuration, settings } from '@holdfast/contract';
import type { Command } from 'commander';
import type { Server } from '../api/start-server.ts';

/* What the commands with an HTTP server (`up`, `api`) share. */

export function addListenOptions(command: Command): Command {
  return command
    .option('--host <address>', `${settings.host.description} [${settings.host.env}]`)
    .option('--port <number>', `${settings.port.description} [${settings.port.env}]`);
}

/** Reports not ready for a while before it stops listening, so that load balancers send requests elsewhere. */
export async function closeServer(
  server: Server,
  { drainSeconds }: Pick<Configuration, 'drainSeconds'>,
): Promise<void> {
  server.drain();
  if (drainSeconds > 0) await wait(drainSeconds * 1000);
  await server.close();
}
