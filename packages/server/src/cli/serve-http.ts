import { settings } from '@holdfast/contract';
import type { Command } from 'commander';

/** Where the HTTP server listens. */
export function addListenOptions(command: Command): Command {
  return command
    .option('--host <address>', `${settings.host.description} [${settings.host.env}]`)
    .option('--port <number>', `${settings.port.description} [${settings.port.env}]`);
}
