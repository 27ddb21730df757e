import pg from 'pg';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { ClaimLoop } from '../../packages/server/src/queue/jobs/claim-loop.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { Listener } from '../../packages/server/src/queue/jobs/notifications.ts';
import { pingChannel, pongChannel } from './queue-latency.ts';
import { quietLog } from './quiet-log.ts';

/** An idle worker in a process of its own. Sends the time at which each job started, then `completed`; answers pings. */
const url = process.argv[2] ?? '';
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

const database = await openDatabase({ databaseUrl: url, dataFolder: '', databasePort: 0 }, quietLog);
const listener = new Listener(database, quietLog);
const loop = new ClaimLoop({
  db: database.pool,
  log: quietLog,
  workerId: 'bench',
  lanes: [{ kind: 'visit', executor: 'builtin', leaseSeconds: 120 }],
  pollMs: 1000,
  listener,
  capacity: () => 10,
  onJobs: async (jobs) => {
    process.send?.(nowMs());
    await completeJobs(database.pool, jobs, 'supervisor:bench');
    process.send?.('completed');
  },
});
const ponger = new pg.Client(url);
await ponger.connect();
await ponger.query(`LISTEN ${pingChannel}`);
ponger.on('notification', () => {
  const heard = nowMs();
  ponger.query(`NOTIFY ${pongChannel}`);
  process.send?.(heard);
});
await listener.start();
loop.start();
process.send?.('ready');

process.once('disconnect', async () => {
  await loop.stop();
  await listener.stop();
  await ponger.end();
  await database.close();
});
