import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { startServer } from '../api/start-server.ts';
import { withSupervisor } from './with-supervisor.ts';

export const upCommand = new Command('up')
  .description('run Holdfast on this machine: database, worker, watchdog and web page in one')
  .option('--host <address>', `${settings.host.description} [${settings.host.env}]`)
  .option('--port <number>', `${settings.port.description} [${settings.port.env}]`)
  .action((_options, command: Command) =>
    withSupervisor(command, async ({ configuration, database, log, supervisor }) => {
      const server = await startServer(configuration, database, log);
      await supervisor.start();
      console.log(
        `Holdfast is up: ${server.address}\n  ${database.describe}\n  Ctrl-C stops it; nothing is lost.`,
      );
      return () => server.close();
    }),
  );
