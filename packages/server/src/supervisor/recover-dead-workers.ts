import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../database/statement.ts';
import { sweepLeases } from '../queue/sweep-leases.ts';
import { dropSilentWorkers, type KnownWorker, listKnownWorkers } from './register-worker.ts';

/** Their holder is dead: their leases end now, and the watchdog's own statement does the rest. */
const endLeasesStatement = statement<{ id: string }>(
  'end-leases',
  `UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 second'
   WHERE status = 'processing' AND executor = 'builtin' AND worker_id = ANY ($1) RETURNING id`,
);

/**
 * Takes over at once from supervisors that certainly died on this machine, so that the same command goes on within a moment.
 * Answers with those that may have: they are dead when none of them is heard of for `proofBeats` heartbeats.
 */
export async function recoverDeadWorkers(
  db: Queryable,
  log: Logger,
  workerId: string,
): Promise<KnownWorker[]> {
  const workers = await listKnownWorkers(db);
  await takeOver(
    db,
    log,
    workerId,
    workers.filter(({ verdict }) => verdict === 'dead'),
  );
  return workers.filter(({ verdict, isNear }) => verdict === 'unknown' && isNear);
}

/** Takes over from those of the workers that have not been heard of since they were read. */
export async function takeOver(
  db: Queryable,
  log: Logger,
  workerId: string,
  workers: readonly KnownWorker[],
): Promise<void> {
  if (workers.length === 0) return;
  const dead = await dropSilentWorkers(db, workers);
  if (dead.length === 0) return;
  log.info({ dead }, 'Taking over from workers that died on this host');
  await run(db, endLeasesStatement, [dead]);
  await sweepLeases(db, log, workerId);
}
