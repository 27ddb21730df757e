import { settings } from '@holdfast/contract';
import { Command } from 'commander';
import { openDatabase } from '../database/open-database.ts';
import { nameWorker } from '../queue/name-worker.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { createLogger } from '../telemetry/create-logger.ts';
import { nextSignal } from './next-signal.ts';
import { runnerProgramPath } from './runner-program-path.ts';
import { configurationOf } from './with-database.ts';

export const workerCommand = new Command('worker')
  .description('run jobs on this machine; any number of workers on any machines share one database')
  .option('--worker-id <name>', `${settings.workerId.description} [${settings.workerId.env}]`)
  .option(
    '--max-concurrent-jobs <number>',
    `${settings.maxConcurrentJobs.description} [${settings.maxConcurrentJobs.env}]`,
  )
  .action(async (_options, command: Command) => {
    const configuration = configurationOf(command);
    const log = await createLogger(configuration);
    const database = await openDatabase(configuration, log, { name: 'worker' });
    const workerId = configuration.workerId ?? nameWorker();
    const supervisor = new Supervisor({
      configuration,
      database,
      log,
      workerId,
      runnerProgram: runnerProgramPath,
    });
    try {
      await supervisor.start();
      log.info({ worker: workerId }, `Worker ${workerId} is ready: ${database.describe}`);
      log.info(`Draining: ${await nextSignal(() => supervisor.kill())}`);
    } finally {
      await supervisor.drain();
      await database.close();
    }
  });
