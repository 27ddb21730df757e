import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../database/statement.ts';
import { sweepLeases } from '../queue/sweep-leases.ts';
import { findDeadWorkers, unregisterWorkers } from './register-worker.ts';

/** Their holder is certainly dead: their leases end now, and the watchdog's own statement does the rest. */
const endLeasesStatement = statement<{ id: string }>(
  'end-leases',
  `UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 second'
   WHERE status = 'processing' AND executor = 'builtin' AND worker_id = ANY ($1) RETURNING id`,
);

/** Takes over at once from supervisors that died on this host, so that the same command goes on within a moment. */
export async function recoverDeadWorkers(db: Queryable, log: Logger, workerId: string): Promise<void> {
  const dead = await findDeadWorkers(db);
  if (dead.length === 0) return;
  log.info({ dead }, 'Taking over from workers that died on this host');
  await run(db, endLeasesStatement, [dead]);
  await sweepLeases(db, log, workerId);
  await unregisterWorkers(db, dead);
}
