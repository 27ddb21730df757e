import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError, type JobKind } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { version } from '../../base/process/installation.ts';
import {
  judgeProcess,
  ownIdentity,
  type ProcessIdentity,
  type Verdict,
} from '../../base/process/process-info.ts';
import type { BrowserReadiness } from '../../browser/browser-readiness.ts';
import { proofSeconds, SteadyWait } from './steady-wait.ts';

/** What a worker tells others about itself. */
export interface Registration {
  readonly id: string;
  /** 0 for a one-shot command. */
  readonly maxJobs: number;
  /** How many of them may be crawls. */
  readonly maxCrawls: number;
  readonly kinds: readonly JobKind[];
  readonly allowPrivate: readonly string[];
  readonly heartbeatSeconds: number;
  /** What renders its pages, or why nothing does. */
  readonly rendering?: BrowserReadiness;
}

export interface Beat {
  readonly runningJobs: number;
  readonly draining: boolean;
  /** Why it has stopped claiming jobs. */
  readonly trouble: string | undefined;
}

/** Another worker's row, and what is certain about its process. */
export interface KnownWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** To the microsecond, for comparison. */
  readonly lastSeen: string;
  /** When its row was read, in seconds by the database's clock. */
  readonly readAt: number;
  readonly heartbeatSeconds: number;
  readonly verdict: Verdict;
  /** It may run here: same machine or same host name. */
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
  readonly read_at: number;
  readonly heartbeat_seconds: number;
}

const listStatement = statement<WorkerRow>(
  'list-worker-processes',
  `SELECT id, host, machine_id, boot_id, pid, process_start, last_seen::text, heartbeat_seconds,
     extract(epoch FROM now() - last_seen)::float8 AS silent_seconds, extract(epoch FROM now())::float8 AS read_at
   FROM workers`,
);

const identity = 'host, machine_id, boot_id, pid, process_start';
const insert = `INSERT INTO workers AS known (id, ${identity}, version, max_jobs, kinds, allow_private, heartbeat_seconds, max_crawls, browser, browser_problem`;
const values = '$1, $2, $3, $4, $5, $6, $7, $8, $9::job_kind[], $10::text[], $11, $12, $13, $14';

const insertStatement = statement<{ id: string }>(
  'register-worker',
  `${insert}) VALUES (${values}) ON CONFLICT DO NOTHING RETURNING id`,
);

/** Inserts if needed, so that a removed row comes back; never overwrites the row of another process. */
const beatStatement = statement<{ id: string }>(
  'worker-seen',
  `${insert}, running_jobs, draining, trouble) VALUES (${values}, $15, $16, $17)
   ON CONFLICT (id) DO UPDATE SET last_seen = now(), heartbeat_seconds = excluded.heartbeat_seconds, running_jobs = excluded.running_jobs, draining = excluded.draining,
     trouble = excluded.trouble
   WHERE (${identity.replace(/\w+/g, 'known.$&')}) = (${identity.replace(/\w+/g, 'excluded.$&')})
   RETURNING id`,
);
const leaveStatement = statement('worker-left', 'DELETE FROM workers WHERE id = ANY ($1)');

/** A worker killed on a host that never returns (a pod, a spot machine) leaves its row behind. */
const forgetStatement = statement(
  'forget-workers',
  `DELETE FROM workers WHERE last_seen < now() - interval '7 days'`,
);

/** Enters this worker into the table, under a name that no living one has. Calls `onDead` before it replaces a dead one. */
export async function registerWorker(
  db: Queryable,
  registration: Registration,
  onDead: (dead: readonly KnownWorker[]) => Promise<unknown>,
): Promise<void> {
  const { id, heartbeatSeconds } = registration;
  const isEntered = async () => (await run(db, insertStatement, registrationValues(registration))).length > 0;
  const wait = new SteadyWait(heartbeatSeconds);
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
    const left = proofSeconds(other, heartbeatSeconds) - wait.reached(other.readAt);
    if (other.verdict === 'dead' || left <= 0) await onDead([other]);
    else await delay(Math.min(left, heartbeatSeconds / 2) * 1000);
    before = other;
  }
}

/** False when another process has taken the name. */
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

/** Deletes workers that nobody has heard of for a week. */
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
    readAt: row.read_at,
    heartbeatSeconds: row.heartbeat_seconds,
    verdict: judgeProcess(identityOf(row), row.silent_seconds, self),
    isNear: row.host === self.host || (row.machine_id !== '' && row.machine_id === self.machineId),
  }));
}

function registrationValues(registration: Registration): unknown[] {
  const { id, maxJobs, kinds, allowPrivate, heartbeatSeconds, maxCrawls, rendering = {} } = registration;
  const { host, machineId, bootId, pid, processStart } = ownIdentity();
  const process = [host, machineId, bootId, pid, processStart];
  const { browser, problem } = rendering as { browser?: string; problem?: string };
  const room = [maxJobs, kinds, allowPrivate, heartbeatSeconds, maxCrawls];
  return [id, ...process, version, ...room, browser ?? null, problem ?? null];
}

function identityOf(row: WorkerRow): ProcessIdentity {
  const { host, machine_id: machineId, boot_id: bootId, pid, process_start: processStart } = row;
  return { host, machineId, bootId, pid, processStart };
}
