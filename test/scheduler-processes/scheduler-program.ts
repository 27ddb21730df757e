// A scheduler and nothing else, as every supervisor has one.
import { pino } from 'pino';
import { createPool } from '../../packages/server/src/base/database/create-pool.ts';
import { Listener, Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { startScheduler } from '../../packages/server/src/queue/policies/scheduler.ts';

const { DATABASE_URL: url = '', WORKER_ID: workerId = '' } = process.env;
const log = pino(pino.destination({ fd: 1, sync: true }));
const pool = createPool({ connectionString: url }, log, { name: workerId });
const listener = new Listener({ url }, log);
const notifier = new Notifier(pool);

await listener.start();
startScheduler({
  db: pool,
  log,
  workerId,
  everySeconds: 0.05,
  listener,
  onJobs: () => notifier.notify('work'),
});
log.info('ready');
