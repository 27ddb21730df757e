import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { startServer } from '../api/start-server.ts';
import { openDatabase } from '../database/open-database.ts';
import { nameWorker } from '../queue/name-worker.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { createLogger } from '../telemetry/create-logger.ts';
import { nextSignal } from './next-signal.ts';
import { runnerProgramPath } from './runner-program-path.ts';
import { configurationOf } from './with-database.ts';

export const upCommand = new Command('up')
  .description('run Holdfast on this machine: database, worker, watchdog and web page in one')
  .option('--host <address>', `${settings.host.description} [${settings.host.env}]`)
  .option('--port <number>', `${settings.port.description} [${settings.port.env}]`)
  .action(async (_options, command: Command) => {
    const configuration = configurationOf(command);
    const log = await createLogger(configuration);
    const database = await openDatabase(configuration, log, { name: 'up' });
    const workerId = configuration.workerId ?? nameWorker();
    const supervisor = new Supervisor({
      configuration,
      database,
      log,
      workerId,
      runnerProgram: runnerProgramPath,
    });
    try {
      const server = await startServer(configuration, database, log);
      await supervisor.start();
      console.log(
        `Holdfast is up: ${server.address}\n  ${database.describe}\n  Ctrl-C stops it; nothing is lost.`,
      );
      log.info(`Stopping: ${await nextSignal(() => supervisor.kill())}`);
      await server.close();
    } finally {
      await supervisor.drain();
      await database.close();
    }
  });
