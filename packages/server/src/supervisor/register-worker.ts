import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { version } from '../version.ts';
import { isProvablyDead, ownIdentity, type ProcessIdentity } from './process-identity.ts';

interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly boot_id: string;
  readonly pid: number;
  readonly process_start: string;
  readonly silent_seconds: number;
}

const listStatement = statement<WorkerRow>(
  'list-worker-processes',
  `SELECT id, host, boot_id, pid, process_start, extract(epoch FROM now() - last_seen)::float8 AS silent_seconds
   FROM workers`,
);
const insertStatement = statement<{ id: string }>(
  'register-worker',
  `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT DO NOTHING RETURNING id`,
);
const beatStatement = statement(
  'worker-seen',
  `UPDATE workers SET last_seen = now(), running_jobs = $2, draining = $3 WHERE id = $1`,
);
const leaveStatement = statement('worker-left', `DELETE FROM workers WHERE id = ANY ($1)`);

/** A worker that was killed on a host that never comes back (a pod, a spot machine) leaves its row behind. */
const forgetStatement = statement(
  'forget-workers',
  `DELETE FROM workers WHERE last_seen < now() - interval '7 days'`,
);

/** A worker that said nothing for so long is no obstacle to its name, even where its death cannot be proven. */
const silentSeconds = 600;

/** Enters this supervisor into the table of workers, under a name that no living one has. */
export async function registerWorker(db: Queryable, workerId: string, maxJobs: number): Promise<void> {
  const self = ownIdentity();
  const values = [workerId, self.host, self.bootId, self.pid, self.processStart, version, maxJobs];
  if ((await run(db, insertStatement, values)).length > 0) return;
  const other = (await run(db, listStatement)).find(({ id }) => id === workerId);
  if (other && other.silent_seconds < silentSeconds && !isProvablyDead(identityOf(other), self)) {
    throw new HoldfastError(
      'config_invalid',
      `WORKER_ID ${workerId} is in use by process ${other.pid} on ${other.host}`,
    );
  }
  await run(db, leaveStatement, [[workerId]]);
  if ((await run(db, insertStatement, values)).length === 0) {
    throw new HoldfastError('config_invalid', `WORKER_ID ${workerId} is in use by another worker`);
  }
}

export async function reportWorker(
  db: Queryable,
  workerId: string,
  runningJobs: number,
  draining: boolean,
): Promise<void> {
  await run(db, beatStatement, [workerId, runningJobs, draining]);
}

export async function unregisterWorkers(db: Queryable, workerIds: readonly string[]): Promise<void> {
  await run(db, leaveStatement, [workerIds]);
}

/** Forgets workers that nobody has heard of for a week. */
export async function forgetWorkers(db: Queryable): Promise<void> {
  await run(db, forgetStatement);
}

/** Workers of this host that are certainly dead: their jobs need not wait for their leases. */
export async function findDeadWorkers(db: Queryable): Promise<string[]> {
  const self = ownIdentity();
  return (await run(db, listStatement))
    .filter((row) => isProvablyDead(identityOf(row), self))
    .map(({ id }) => id);
}

function identityOf(row: WorkerRow): ProcessIdentity {
  return { host: row.host, bootId: row.boot_id, pid: row.pid, processStart: row.process_start };
}
