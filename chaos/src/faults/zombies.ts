import { setTimeout as delay } from 'node:timers/promises';
import { type ChaosRun, type Fault, type Figures, judgesTimes, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import type { HoldfastProcess } from '../processes/holdfast-process.ts';
import { childrenOf, isAlive, ownerOfPort, signal } from '../processes/process-table.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import type { RunningJob, Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';
import type { WireConnection } from '../wire/wire-connection.ts';

/** Written by the database itself: which connection saved which checkpoint, or changed which job. */
const audit = `
CREATE TABLE chaos_writes (job_id uuid, port integer, at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO chaos_writes (job_id, port)
  VALUES (CASE TG_TABLE_NAME WHEN 'crawl_jobs' THEN (to_jsonb(NEW) ->> 'id')::uuid ELSE (to_jsonb(NEW) ->> 'job_id')::uuid END,
    inet_client_port());
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_note AFTER UPDATE ON crawl_jobs FOR EACH ROW EXECUTE FUNCTION chaos_note();
CREATE TRIGGER chaos_note AFTER UPDATE OF checkpoint_no ON crawl_states FOR EACH ROW EXECUTE FUNCTION chaos_note()`;

/** So many of the zombies must have written late: otherwise nothing but luck was seen. */
const enoughLate = 0.8;
const headStartMs = 300;
/** Every runner at work saves a checkpoint within a second. */
const catchSeconds = 2;
/** On a machine however busy. */
const patienceSeconds = 30;

interface Tally {
  zombies: number;
  writes: number;
  requests: number;
  /** Checkpoints of zombies that got to the database when somebody else had just claimed their job. */
  late: number;
  stops: number[];
}

export const zombies: Fault = {
  id: 'F3',
  title: 'SIGSTOP of runner and supervisor together for three leases, while others take over; then SIGCONT',
  run: (run) => {
    const wanted = scaled(run, 50, 2);
    const frozen = wanted > 8 ? 4 : 1;
    const options = { workers: frozen + 2, jobsPerWorker: frozen + 1, wired: true };
    return withStage(run, options, async (stage) => await play(run, stage, wanted, frozen));
  },
};

async function play(run: ChaosRun, stage: Stage, wanted: number, frozen: number): Promise<Figures> {
  await stage.pool.query(audit);
  const ledger = new Ledger(stage);
  const tally: Tally = { zombies: 0, writes: 0, requests: 0, late: 0, stops: [] };
  // So that there is work for as long as they stand still, and not much more.
  for (const origin of stage.origins) origin.extraDelayMs = judgesTimes(run) ? 150 : 400;
  await stage.crawls.keep(frozen + 2, { pages: scaled(run, 500, 150) });
  const end = performance.now() + 1000 * (patienceSeconds + 6 * run.timings.leaseSeconds * wanted);
  while (tally.zombies < wanted) {
    if (performance.now() > end)
      throw new Error(`only ${tally.zombies} of ${wanted} could be frozen at work`);
    await until(
      'work at several workers',
      () => new Set(stage.atWork().map(({ worker }) => worker)).size > 1,
    );
    const workers = [...new Set(stage.atWork().map(({ worker }) => worker))].slice(0, -1).slice(0, frozen);
    await freeze(stage, ledger, workers, tally);
    run.say(`${tally.zombies} of ${wanted} were stopped`);
  }
  for (const origin of stage.origins) origin.extraDelayMs = 0;
  await stage.crawls.finish();
  if (tally.writes > 0) run.blame(`${tally.writes} writes of zombies were accepted`);
  if (tally.late < enoughLate * tally.zombies)
    run.blame(`only ${tally.late} of ${tally.zombies} zombies wrote late: that is not the fault`);
  if (tally.requests > 0) run.blame(`${tally.requests} requests came from zombies`);
  const slowest = Math.max(...tally.stops);
  if (judgesTimes(run) && slowest > run.timings.heartbeatSeconds * 1000)
    run.blame(`a zombie went on for ${slowest} ms`);
  return {
    stopped: tally.zombies,
    zombie_writes: tally.writes,
    zombie_requests: tally.requests,
    late_checkpoints: tally.late,
    zombie_ended_ms_p50: percentileMs(tally.stops, 0.5),
    zombie_ended_ms_max: Math.round(slowest),
    ...(await judgeCrawls(stage)),
  };
}

async function freeze(stage: Stage, ledger: Ledger, workers: HoldfastProcess[], tally: Tally): Promise<void> {
  const { run, pool, wire } = stage;
  const { leaseSeconds, sweepSeconds } = run.timings;
  const held = stage.running().filter(({ worker }) => workers.includes(worker));
  const caught = await catchCheckpoints(stage, held);
  if (caught.size < held.length) {
    // Somebody's crawl has just ended, or not quite begun: no zombie would come of it.
    for (const connection of caught.values()) await connection.deliver();
    return;
  }
  const pids = workers.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
  for (const pid of pids) signal(pid, 'SIGSTOP');
  const frozenAt = performance.now();
  const connections = zombieConnections(stage, pids);
  for (const { id } of held) {
    const crawl = stage.crawls.all.find((one) => one.id === id);
    if (crawl) await ledger.note(crawl);
  }
  const undelivered = deliverLate(stage, caught, tally);
  await delay(3 * leaseSeconds * 1000 - (performance.now() - frozenAt));
  if (!judgesTimes(run))
    await until('others to take over', () => undelivered.size === 0, { seconds: patienceSeconds }).catch(
      () => {
        // Said below.
      },
    );
  if (wire) wire.onCheckpoint = undefined;
  const stolen = await takenOver(stage, held);
  if (stolen.length < held.length)
    run.blame(
      `${held.length - stolen.length} of ${held.length} jobs were not taken over in ${3 * leaseSeconds} s`,
    );
  const resumedAt = performance.now();
  // The runners first: a moment in which nobody stops them but the fence.
  const supervisors = new Set(workers.map(({ pid }) => pid));
  for (const pid of pids) if (!supervisors.has(pid)) signal(pid, 'SIGCONT');
  await delay(headStartMs);
  const supervisedAt = performance.now();
  for (const pid of supervisors) signal(pid, 'SIGCONT');
  const seconds = judgesTimes(run) ? 3 * leaseSeconds : patienceSeconds;
  for (const { runner } of stolen) {
    await until('the end of a zombie', () => !isAlive(runner), { seconds, everyMs: 5 }).catch(() =>
      run.blame(`zombie ${runner} was still there after ${seconds} s`),
    );
    tally.stops.push(performance.now() - supervisedAt);
  }
  // Long enough for anything that was on its way.
  await delay(sweepSeconds * 500);
  if (wire) wire.onConnection = undefined;
  tally.zombies += stolen.length;
  tally.requests += zombieRequests(stage, stolen, resumedAt);
  const ports = connections.map(({ serverPort }) => serverPort);
  for (const { id, fence } of stolen) tally.writes += await writesAfterTheft(pool, id, fence, ports);
}

/** What these connections changed of a job after somebody else had claimed it. */
async function writesAfterTheft(
  pool: Stage['pool'],
  id: string,
  fence: number,
  ports: readonly number[],
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*) AS count FROM chaos_writes WHERE job_id = $1 AND port = ANY ($3) AND at > (
       SELECT min(at) FROM job_events WHERE job_id = $1 AND transition = 'claim' AND fence > $2)`,
    [id, fence, ports],
  );
  return Number(rows[0]?.count ?? 0);
}

/** Holds the next checkpoint of each of these runs on its way: they are frozen with it under way. */
async function catchCheckpoints(
  { wire }: Stage,
  held: readonly RunningJob[],
): Promise<Map<string, WireConnection>> {
  const caught = new Map<string, WireConnection>();
  if (!wire) return caught;
  wire.onCheckpoint = (_connection, jobId) => {
    if (caught.has(jobId) || !held.some(({ id }) => id === jobId)) return undefined;
    return { moment: 'held', act: (connection) => caught.set(jobId, connection) };
  };
  await until('a checkpoint of each', () => caught.size >= held.length, {
    seconds: catchSeconds,
    everyMs: 1,
  }).catch(() => {
    // Whose crawl has just ended has none.
  });
  wire.onCheckpoint = undefined;
  return caught;
}

/**
 * Lets each of them arrive at the worst moment: somebody else has the job and has saved nothing of it yet, so that the
 * number of the checkpoint is still free, and nothing but the fence tells the two apart.
 */
function deliverLate(
  { wire }: Stage,
  caught: ReadonlyMap<string, WireConnection>,
  tally: Tally,
): ReadonlyMap<string, WireConnection> {
  const waiting = new Map(caught);
  if (!wire) return waiting;
  wire.onCheckpoint = (connection, jobId) => {
    const zombie = waiting.get(jobId);
    if (!zombie || zombie === connection) return undefined;
    waiting.delete(jobId);
    return {
      moment: 'held',
      act: async (successor) => {
        if (await zombie.deliver()) tally.late++;
        await successor.deliver();
      },
    };
  };
  return waiting;
}

/** The connections that these processes have, and those that they will make. */
function zombieConnections({ wire }: Stage, pids: readonly number[]): WireConnection[] {
  if (!wire) throw new Error('the stage has no wire');
  const isTheirs = ({ clientPort }: WireConnection) => ownerOfPort(clientPort, pids) !== undefined;
  const found = [...wire.connections].filter(isTheirs);
  wire.onConnection = (connection) => {
    if (isTheirs(connection)) found.push(connection);
  };
  return found;
}

/** Those of the jobs that somebody else has, or had, since. */
async function takenOver({ pool }: Stage, held: readonly RunningJob[]): Promise<RunningJob[]> {
  const { rows } = await pool.query<{ id: string; fence: number }>(
    'SELECT id, fence FROM crawl_jobs WHERE id = ANY ($1)',
    [held.map(({ id }) => id)],
  );
  return held.filter(({ id, fence }) => rows.some((row) => row.id === id && Number(row.fence) > fence));
}

function zombieRequests({ crawls }: Stage, stolen: readonly RunningJob[], since: number): number {
  return stolen.reduce((sum, { id, worker }) => {
    const crawl = crawls.all.find((one) => one.id === id);
    const mine = crawl?.origin.log.filter(
      ({ path, at, agent }) =>
        at > since && agent === agentOf(worker) && path.startsWith(crawl.section.prefix),
    );
    return sum + (mine?.length ?? 0);
  }, 0);
}

function agentOf(worker: HoldfastProcess): string {
  return `Chaos/${worker.name}`;
}
