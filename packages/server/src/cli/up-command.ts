import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { startServer } from '../api/start-server.ts';
import { openDatabase } from '../database/open-database.ts';
import { nameWorker } from '../queue/name-worker.ts';
import { pruneJobs } from '../queue/prune-jobs.ts';
import { runRegularly } from '../queue/run-regularly.ts';
import { sweepLeases } from '../queue/sweep-leases.ts';
import { createLogger } from '../telemetry/create-logger.ts';
import { configurationOf } from './with-database.ts';

const pruneEverySeconds = 3600;

export const upCommand = new Command('up')
  .description('run Holdfast on this machine: database, watchdog and web page in one')
  .option('--host <address>', `${settings.host.description} [${settings.host.env}]`)
  .option('--port <number>', `${settings.port.description} [${settings.port.env}]`)
  .action(async (_options, command: Command) => {
    const configuration = configurationOf(command);
    const log = await createLogger(configuration);
    const database = await openDatabase(configuration, log, { name: 'up' });
    const { pool } = database;
    const workerId = configuration.workerId ?? nameWorker();
    const tasks = [
      runRegularly('The watchdog', configuration.watchdogSeconds, log, () =>
        sweepLeases(pool, log, workerId),
      ),
      runRegularly('Pruning', pruneEverySeconds, log, (signal) =>
        pruneJobs(pool, configuration.retentionDays, { signal }),
      ),
    ];
    try {
      const server = await startServer(configuration, database, log);
      console.log(
        `Holdfast is up: ${server.address}\n  ${database.describe}\n  Ctrl-C stops it; nothing is lost.`,
      );
      log.info(`Stopping: ${await nextSignal()}`);
      await server.close();
    } finally {
      await Promise.all(tasks.map((task) => task.stop()));
      await database.close();
    }
  });

/** Resolves with the first signal to stop; a second one ends the process at once. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve(signal);
      });
    }
  });
}
