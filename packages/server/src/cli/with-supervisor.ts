import type { Configuration } from '@holdfast/contract';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../base/database/open-database.ts';
import { browserHostProgramPath, runnerProgramPath } from '../base/process/installation.ts';
import { assertCanListen } from '../base/process/listen-address.ts';
import { createLogger } from '../base/telemetry/logger.ts';
import { nameWorker } from '../queue/workers/worker-list.ts';
import { Supervisor } from '../worker/supervisor/supervisor.ts';
import { nextSignal } from './stop-signal.ts';
import { configurationOf } from './with-database.ts';

export interface Service {
  readonly configuration: Configuration;
  readonly database: Database;
  readonly log: Logger;
  readonly workerId: string;
  readonly supervisor: Supervisor;
}

/** Runs a service until a signal stops it. `begin` starts the parts besides the supervisor and returns how to stop them. */
export async function withSupervisor(
  command: Command,
  listensOn: 'port' | 'metricsPort',
  begin: (service: Service) => Promise<() => Promise<void>>,
): Promise<void> {
  const configuration = configurationOf(command);
  await assertCanListen(configuration.host, configuration[listensOn]);
  const log = await createLogger(configuration);
  const database = await openDatabase(configuration, log, { name: command.name() });
  const workerId = configuration.workerId ?? nameWorker();
  const supervisor = new Supervisor({
    configuration,
    database,
    log,
    workerId,
    runnerProgram: runnerProgramPath,
    browserHostProgram: browserHostProgramPath,
  });
  try {
    const end = await begin({ configuration, database, log, workerId, supervisor });
    log.info(`Stopping: ${await nextSignal(() => supervisor.kill())}`);
    await end();
  } finally {
    await supervisor.drain();
    await database.close();
  }
}
