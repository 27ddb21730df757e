// The product's HTTP server as `holdfast api` runs it. Tells its parent the address and the token of every bot's key.
import { readConfiguration } from '@holdfast/contract';
import { startServer } from '../../../packages/server/src/api/start-server.ts';
import { openDatabase } from '../../../packages/server/src/base/database/open-database.ts';
import { createKey } from '../../../packages/server/src/queue/access/keys.ts';
import { quietLog } from '../quiet-log.ts';

const [url = ''] = process.argv.slice(2);
const configuration = readConfiguration({ DATABASE_URL: url, HOLDFAST_PORT: '0' });
const database = await openDatabase(configuration, quietLog, { name: 'bench api' });
const { secret } = await createKey(database.pool, { name: 'bench', user_id: 'bench', scopes: ['bots'] });
const server = await startServer(configuration, database, quietLog);
process.send?.({ address: server.address, key: secret });
process.once('disconnect', async () => {
  await server.close();
  await database.close();
});
