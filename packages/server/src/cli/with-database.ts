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
  /** Named in the events of this command. */
  readonly actor: string;
}

/** Flags take precedence over the environment. A flag is named after its setting. */
export function configurationOf(command: Command): Configuration {
  const configuration = readConfiguration(process.env, command.optsWithGlobals());
  // Fail before a database is created.
  refuseKeylessInPublic(configuration);
  return configuration;
}

/** Opens the database for one command, and closes it afterwards. Logs warnings only. */
export async function withDatabase(
  command: Command,
  work: (session: Session) => Promise<void>,
  { isTemporary = false, ...options }: { migrate?: boolean; isTemporary?: boolean } = {},
): Promise<void> {
  const configuration = configurationOf(command);
  const logLevel = configuration.logLevel === 'info' ? 'warn' : configuration.logLevel;
  const log = await createLogger({ ...configuration, logLevel });
  // Explains an empty list in the wrong folder. With more logging, the log says it.
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
    return 'unknown'; // in a container, the user id may have no account
  }
}
