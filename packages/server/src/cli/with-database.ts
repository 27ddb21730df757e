import { userInfo } from 'node:os';
import { type Configuration, readConfiguration, refuseKeylessInPublic } from '@holdfast/contract';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../base/database/open-database.ts';
import { createLogger } from '../base/telemetry/logger.ts';

export interface Session {
  readonly configuration: Configuration;
  readonly database: Database;
  readonly log: Logger;
  /** Who the events of this command name. */
  readonly actor: string;
}

/** Settings given as flags win over the environment. A flag's name is its setting's. */
export function configurationOf(command: Command): Configuration {
  const configuration = readConfiguration(process.env, command.optsWithGlobals());
  // Before a database is made that nobody gets to use.
  refuseKeylessInPublic(configuration);
  return configuration;
}

/** Opens the database for a short command, and leaves it when the command is done. Only warnings are logged. */
export async function withDatabase(
  command: Command,
  work: (session: Session) => Promise<void>,
  { isTemporary = false, ...options }: { migrate?: boolean; isTemporary?: boolean } = {},
): Promise<void> {
  const configuration = configurationOf(command);
  const logLevel = configuration.logLevel === 'info' ? 'warn' : configuration.logLevel;
  const log = await createLogger({ ...configuration, logLevel });
  // In another folder than usual a command finds nothing and would not say why. Whoever logs more is told by the log.
  const onCreated = (folder: string) => {
    if (!isTemporary && !log.isLevelEnabled('info')) console.error(`Created a new database in ${folder}`);
  };
  const database = await openDatabase(configuration, log, {
    name: command.name(),
    max: 4,
    onCreated,
    ...options,
  });
  try {
    await work({ configuration, database, log, actor: `user:${userName()}` });
  } finally {
    await database.close();
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a container may run as an id that no account has
  }
}
