import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError, type JobKind } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { version } from '../version.ts';
import { judgeProcess, ownIdentity, type ProcessIdentity, type Verdict } from './process-identity.ts';

/** What others may know of a worker, and whether they can count on it. */
export interface Registration {
  readonly id: string;
  /** 0: it does its own job alone. */
  readonly maxJobs: number;
  readonly kinds: readonly JobKind[];
  readonly allowPrivate: readonly string[];
}

export interface Beat {
  readonly runningJobs: number;
  readonly draining: boolean;
  /** Why it has stopped claiming. */
  readonly trouble: string | undefined;
}

/** Another worker as its row has it, and what is certain about its process. */
export interface KnownWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** To the microsecond, so that it can be compared. */
  readonly lastSeen: string;
  readonly silentSeconds: number;
  readonly verdict: Verdict;
  /** It may run where we do: same machine, or same host name. */
  readonly isNear: boolean;
}

interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly machine_id: string;
  readonly boot_id: string;
  readonly pid: number;
  readonly process_start: string;
  readonly last_seen: string;
  readonly silent_seconds: number;
}

const listStatement = statement<WorkerRow>(
  'list-worker-processes',
  `SELECT id, host, machine_id, boot_id, pid, process_start, last_seen::text,
     extract(epoch FROM now() - last_seen)::float8 AS silent_seconds
   FROM workers`,
);

const identity = 'host, machine_id, boot_id, pid, process_start';
const insert = `INSERT INTO workers AS known (id, ${identity}, version, max_jobs, kinds, allow_private`;
const values = '$1, $2, $3, $4, $5, $6, $7, $8, $9::job_kind[], $10::text[]';

const insertStatement = statement<{ id: string }>(
  'register-worker',
  `${insert}) VALUES (${values}) ON CONFLICT DO NOTHING RETURNING id`,
);

/** Whole, so that a row that somebody removed comes back; never over that of another process of the same name. */
const beatStatement = statement<{ id: string }>(
  'worker-seen',
  `${insert}, running_jobs, draining, trouble) VALUES (${values}, $11, $12, $13)
   ON CONFLICT (id) DO UPDATE SET last_seen = now(), running_jobs = excluded.running_jobs, draining = excluded.draining,
     trouble = excluded.trouble
   WHERE (${identity.replace(/\w+/g, 'known.$&')}) = (${identity.replace(/\w+/g, 'excluded.$&')})
   RETURNING id`,
);
const leaveStatement = statement('worker-left', 'DELETE FROM workers WHERE id = ANY ($1)');
const dropStatement = statement<{ id: string }>(
  'drop-silent-workers',
  `DELETE FROM workers USING unnest($1::text[], $2::timestamptz[]) AS known (id, last_seen)
   WHERE workers.id = known.id AND workers.last_seen = known.last_seen RETURNING workers.id`,
);

/** A worker that was killed on a host that never comes back (a pod, a spot machine) leaves its row behind. */
const forgetStatement = statement(
  'forget-workers',
  `DELETE FROM workers WHERE last_seen < now() - interval '7 days'`,
);

/** Where its death cannot be proven, a worker that misses so many heartbeats one after the other counts as dead. */
export const proofBeats = 2;

/**
 * Enters this supervisor into the table of workers, under a name that no living one has. `onDead` is told before the name of a
 * dead one is taken over.
 */
export async function registerWorker(
  db: Queryable,
  registration: Registration,
  heartbeatSeconds: number,
  onDead: (dead: readonly KnownWorker[]) => Promise<unknown>,
): Promise<void> {
  const { id } = registration;
  const isEntered = async () => (await run(db, insertStatement, registrationValues(registration))).length > 0;
  let before: KnownWorker | undefined;
  while (!(await isEntered())) {
    const other = (await listKnownWorkers(db)).find((worker) => worker.id === id);
    if (!other) continue;
    const hasBeaten = before !== undefined && before.lastSeen !== other.lastSeen;
    if (other.verdict === 'alive' || hasBeaten) {
      throw new HoldfastError(
        'config_invalid',
        `WORKER_ID ${id} is in use by process ${other.pid} on ${other.host}`,
      );
    }
    const waitSeconds = proofBeats * heartbeatSeconds - other.silentSeconds;
    if (other.verdict === 'dead' || waitSeconds <= 0) await onDead([other]);
    else await delay(waitSeconds * 1000 + 50);
    before = other;
  }
}

/** False: another process has the name by now. */
export async function reportWorker(db: Queryable, registration: Registration, beat: Beat): Promise<boolean> {
  const { runningJobs, draining, trouble = null } = beat;
  const rows = await run(db, beatStatement, [
    ...registrationValues(registration),
    runningJobs,
    draining,
    trouble,
  ]);
  return rows.length > 0;
}

export async function unregisterWorkers(db: Queryable, workerIds: readonly string[]): Promise<void> {
  await run(db, leaveStatement, [workerIds]);
}

/** Removes those of the workers that have not been heard of since they were read; answers with their ids. */
export async function dropSilentWorkers(db: Queryable, workers: readonly KnownWorker[]): Promise<string[]> {
  const rows = await run(db, dropStatement, [
    workers.map(({ id }) => id),
    workers.map(({ lastSeen }) => lastSeen),
  ]);
  return rows.map(({ id }) => id);
}

/** Forgets workers that nobody has heard of for a week. */
export async function forgetWorkers(db: Queryable): Promise<void> {
  await run(db, forgetStatement);
}

export async function listKnownWorkers(db: Queryable): Promise<KnownWorker[]> {
  const self = ownIdentity();
  return (await run(db, listStatement)).map((row) => ({
    id: row.id,
    host: row.host,
    pid: row.pid,
    lastSeen: row.last_seen,
    silentSeconds: row.silent_seconds,
    verdict: judgeProcess(identityOf(row), row.silent_seconds, self),
    isNear: row.host === self.host || (row.machine_id !== '' && row.machine_id === self.machineId),
  }));
}

function registrationValues({ id, maxJobs, kinds, allowPrivate }: Registration): unknown[] {
  const { host, machineId, bootId, pid, processStart } = ownIdentity();
  return [id, host, machineId, bootId, pid, processStart, version, maxJobs, kinds, allowPrivate];
}

function identityOf(row: WorkerRow): ProcessIdentity {
  const { host, machine_id: machineId, boot_id: bootId, pid, process_start: processStart } = row;
  return { host, machineId, bootId, pid, processStart };
}
