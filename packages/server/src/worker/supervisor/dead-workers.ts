import type { Logger } from 'pino';
import { type Queryable, readNow, run, statement } from '../../base/database/statement.ts';
import { sweepLeases } from '../../queue/jobs/recover-jobs.ts';
import { type KnownWorker, listKnownWorkers } from './register-worker.ts';
import { proofSeconds, SteadyWait } from './steady-wait.ts';

/*
 * Removes workers that have not been heard of since they were read, and ends their leases; the watchdog's statement does the rest. One
 * statement, because without its worker's row nobody would find a lease before it runs out.
 */
const takeOverStatement = statement<{ id: string }>(
  'take-over',
  `
WITH gone AS (
  DELETE FROM workers USING unnest($1::text[], $2::timestamptz[]) AS known (id, last_seen)
  WHERE workers.id = known.id AND workers.last_seen = known.last_seen RETURNING workers.id
),
ended AS (
  UPDATE crawl_jobs SET lease_expires_at = last_heartbeat
  WHERE status = 'processing' AND executor = 'builtin' AND worker_id = ANY (ARRAY(SELECT id FROM gone)) AND runners IS NULL
),
-- Others may go on with a crawl that it had claimed: of that, only its shards are taken.
ended_shards AS (
  UPDATE crawl_shards SET lease_expires_at = now() - interval '1 second' WHERE worker_id = ANY (ARRAY(SELECT id FROM gone))
)
SELECT id FROM gone`,
);

/**
 * Takes over at once from supervisors that certainly died on this machine, so that the same command can resume within a moment. Returns
 * those that may have died, which only their silence can prove (SilentWorkers).
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

/** Takes over from workers that have not been heard of since they were read. */
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

interface Watcher {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly heartbeatSeconds: number;
}

/** Workers nearby whose processes cannot be seen from here: those that stay silent from now on are dead. */
export class SilentWorkers {
  readonly #watcher: Watcher;
  readonly #wait: SteadyWait;
  #watched: readonly KnownWorker[];

  constructor(watcher: Watcher, workers: readonly KnownWorker[]) {
    this.#watcher = watcher;
    this.#watched = workers;
    this.#wait = new SteadyWait(watcher.heartbeatSeconds);
    const [first] = workers;
    if (first) this.#wait.reached(first.readAt);
  }

  /** After a heartbeat of ours arrived: takes over from those silent for long enough. Returns whether there were any. */
  async beat(): Promise<boolean> {
    if (this.#watched.length === 0) return false;
    const { db, log, workerId, heartbeatSeconds } = this.#watcher;
    const waited = this.#wait.reached((await readNow(db)).getTime() / 1000);
    const isDue = (worker: KnownWorker) => waited >= proofSeconds(worker, heartbeatSeconds);
    const due = this.#watched.filter(isDue);
    if (due.length === 0) return false;
    await takeOver(db, log, workerId, due);
    // Only now, so that a failure is retried with the next heartbeat.
    this.#watched = this.#watched.filter((worker) => !isDue(worker));
    return true;
  }

  /** After a heartbeat of ours did not arrive: theirs could not either. */
  missed(): void {
    this.#wait.missed();
  }
}
