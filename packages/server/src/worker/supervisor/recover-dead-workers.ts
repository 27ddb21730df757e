import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { sweepLeases } from '../../queue/jobs/recover-jobs.ts';
import { type KnownWorker, listKnownWorkers } from './register-worker.ts';

/*
 * Those that have not been heard of since they were read leave, and their leases end: the watchdog's own statement does the
 * rest. One statement: without its row, nobody would find the leases of a dead worker before they run out.
 */
const takeOverStatement = statement<{ id: string }>(
  'take-over',
  `
WITH gone AS (
  DELETE FROM workers USING unnest($1::text[], $2::timestamptz[]) AS known (id, last_seen)
  WHERE workers.id = known.id AND workers.last_seen = known.last_seen RETURNING workers.id
),
ended AS (
  UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 second'
  WHERE status = 'processing' AND executor = 'builtin' AND worker_id = ANY (ARRAY(SELECT id FROM gone))
)
SELECT id FROM gone`,
);

/**
 * Takes over at once from supervisors that certainly died on this machine, so that the same command goes on within a moment.
 * Answers with those that may have: silence is the proof (silent-workers.ts).
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
  const ids = workers.map(({ id }) => id);
  const dead = await run(db, takeOverStatement, [ids, workers.map(({ lastSeen }) => lastSeen)]);
  if (dead.length === 0) return;
  log.info({ dead: dead.map(({ id }) => id) }, 'Took over from workers that died');
  await sweepLeases(db, log, workerId);
}
