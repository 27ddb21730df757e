import { Command } from 'commander';
import { startServer } from '../../api/start-server.ts';
import { openDatabase } from '../../base/database/open-database.ts';
import { asCalled } from '../../base/process/installation.ts';
import { assertCanListen } from '../../base/process/listen-address.ts';
import { createLogger } from '../../base/telemetry/logger.ts';
import { hasAdminKey } from '../../queue/access/keys.ts';
import { addListenOptions, closeServer } from '../serve-http.ts';
import { nextSignal } from '../stop-signal.ts';
import { configurationOf } from '../with-database.ts';

export const apiCommand = addListenOptions(new Command('api'))
  .description('serve the API only; any number of API servers and workers share one database')
  .action(async (_options, command: Command) => {
    const configuration = configurationOf(command);
    await assertCanListen(configuration.host, configuration.port);
    const log = await createLogger(configuration);
    const database = await openDatabase(configuration, log, { name: command.name() });
    try {
      const server = await startServer(configuration, database, log);
      const behind = configuration.publicUrl ? ` for ${configuration.publicUrl}` : '';
      log.info(`The API is ready: ${server.address}${behind}, ${database.describe}`);
      if (!(await hasAdminKey(database.pool))) {
        log.warn(
          asCalled('There is no admin key yet. Create one: holdfast keys create --name admin --role admin'),
        );
      }
      log.info(`Stopping: ${await nextSignal()}`);
      await closeServer(server, configuration);
    } finally {
      await database.close();
    }
  });
