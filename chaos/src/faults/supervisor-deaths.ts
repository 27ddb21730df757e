import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import { ageMs, childrenOf, isAlive, signal } from '../processes/process-table.ts';
import type { Crawl } from '../stage/crawl.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import type { Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

const orphanMs = 5_000;

export const supervisorDeaths: Fault = {
  id: 'F4',
  title:
    'SIGKILL of supervisors, SIGSTOP of them for three leases, runners that hang; others are there all the time',
  run: (run) =>
    withStage(run, { workers: 3, jobsPerWorker: 3, limitPerMinute: 1_200 }, async (stage) => {
      const kills = scaled(run, 30, 2);
      const stops = scaled(run, 10, 1);
      const ledger = new Ledger(stage);
      for (const origin of stage.origins) origin.extraDelayMs = 60;
      await stage.crawls.keep(4, { pages: scaled(run, 500, 300) });
      const orphans: number[] = [];
      for (let kill = 1; kill <= kills; kill++) {
        await pause(stage, run.random.between(5, 40));
        orphans.push(...(await killOne(stage, ledger, run.random.next())));
        if (kill % 10 === 0) run.say(`${kill} of ${kills} kills`);
      }
      const stopped: number[] = [];
      let late = 0;
      for (let stop = 0; stop < stops; stop += 2) {
        await pause(stage, run.random.between(5, 40));
        const found = await stopSome(stage, ledger, Math.min(2, stops - stop));
        stopped.push(...found.orphans);
        late += found.late;
        run.say(`${Math.min(stop + 2, stops)} of ${stops} stops`);
      }
      const hangs: number[] = [];
      for (let hang = 0; hang < stops; hang++) {
        await pause(stage, run.random.between(5, 40));
        hangs.push(await hangOne(stage, ledger, run.random.next()));
      }
      for (const origin of stage.origins) origin.extraDelayMs = 0;
      await stage.crawls.finish();
      const [slowest, slowestStopped] = [Math.max(0, ...orphans), Math.max(0, ...stopped)];
      if (slowestStopped > run.timings.leaseSeconds * 1000)
        run.blame(`a runner outlived its stopped supervisor by ${Math.round(slowestStopped)} ms`);
      if (late > 0) run.blame(`${late} requests came later than a lease after the supervisor was stopped`);
      const doubles = await doubleRuns(stage);
      if (doubles > 0) run.blame(`${doubles} crawls were run by two at once`);
      return {
        kills,
        stops,
        orphan_ms_p50: percentileMs(orphans, 0.5),
        orphan_ms_max: Math.round(slowest),
        stopped_orphan_ms_max: Math.round(slowestStopped),
        late_requests: late,
        hangs: hangs.length,
        hung_replaced_ms_max: percentileMs(hangs, 1),
        double_runs: doubles,
        ...(await judgeCrawls(stage)),
      };
    }),
};

async function pause(stage: Stage, requests: number): Promise<void> {
  const after = stage.requests + requests;
  await until('more requests', () => stage.requests > after && stage.atWork().length > 0, { everyMs: 5 });
}

/** How long each of its runners was there afterwards. */
async function killOne(stage: Stage, ledger: Ledger, choice: number): Promise<number[]> {
  const atWork = stage.atWork();
  const worker = atWork[Math.floor(choice * atWork.length)]?.worker;
  if (!worker) return [];
  const jobs = stage.running().filter((one) => one.worker === worker);
  const runners = childrenOf(worker.pid);
  const ages = new Map(runners.map((pid) => [pid, ageMs(pid)]));
  worker.signal('SIGKILL');
  const killedAt = performance.now();
  const noted: { crawl: Crawl; at: number }[] = [];
  for (const crawl of stage.crawls.all) {
    if (!jobs.some(({ id }) => id === crawl.id)) continue;
    await ledger.note(crawl);
    noted.push({ crawl, at: performance.now() });
  }
  stage.startWorker();
  const found = await ends(runners, killedAt, 3 * orphanMs);
  for (const { crawl, at } of noted) ledger.noteOrphan(crawl, `Chaos/${worker.name}`, at);
  for (const [index, pid] of runners.entries()) {
    const job = jobs.find(({ runner }) => runner === pid)?.id ?? 'none';
    const took = Math.round(found[index] ?? 0);
    if (took > orphanMs)
      stage.run.blame(
        `runner ${pid} (job ${job}, ${ages.get(pid)} ms old) outlived its supervisor by ${took} ms`,
      );
  }
  return found;
}

/** A runner alone stands still: how long until its job was claimed anew. */
async function hangOne(stage: Stage, ledger: Ledger, choice: number): Promise<number> {
  const { leaseSeconds, sweepSeconds } = stage.run.timings;
  const atWork = stage.atWork();
  const hung = atWork[Math.floor(choice * atWork.length)];
  const crawl = stage.crawls.all.find(({ id }) => id === hung?.id);
  if (!hung || !crawl) return 0;
  signal(hung.runner, 'SIGSTOP');
  const since = performance.now();
  await ledger.note(crawl);
  const isReplaced = () => stage.running().some(({ id, fence }) => id === hung.id && fence > hung.fence);
  await until('another runner', isReplaced, { seconds: leaseSeconds + sweepSeconds }).catch(() =>
    stage.run.blame(`nobody replaced a runner that hung for ${leaseSeconds + sweepSeconds} s`),
  );
  signal(hung.runner, 'SIGKILL');
  return performance.now() - since;
}

async function stopSome(
  stage: Stage,
  ledger: Ledger,
  count: number,
): Promise<{ orphans: number[]; late: number }> {
  const workers = [...new Set(stage.atWork().map(({ worker }) => worker))].slice(0, count);
  // Those that have begun: a runner that still starts has not been given its job, and waits for it as a spare one does.
  const jobs = stage.running().filter(({ id, since, worker }) => {
    const crawl = stage.crawls.all.find((one) => one.id === id);
    return workers.includes(worker) && crawl !== undefined && crawl.origin.lastOf(crawl.section) > since;
  });
  const leaseMs = stage.run.timings.leaseSeconds * 1000;
  for (const { pid } of workers) signal(pid, 'SIGSTOP');
  const stoppedAt = performance.now();
  const orphans = await ends(
    jobs.map(({ runner }) => runner),
    stoppedAt,
    2 * leaseMs,
  );
  await noteAll(
    stage,
    ledger,
    jobs.map(({ id }) => id),
  );
  await delay(Math.max(0, 3 * leaseMs - (performance.now() - stoppedAt)));
  for (const { pid } of workers) signal(pid, 'SIGCONT');
  const agents = new Set(workers.map(({ name }) => `Chaos/${name}`));
  const late = stage.origins.flatMap(({ log }) =>
    log.filter(
      ({ at, agent }) => agents.has(agent) && at > stoppedAt + leaseMs && at < stoppedAt + 3 * leaseMs,
    ),
  ).length;
  return { orphans, late };
}

async function noteAll(stage: Stage, ledger: Ledger, ids: readonly string[]): Promise<void> {
  for (const crawl of stage.crawls.all) if (ids.includes(crawl.id)) await ledger.note(crawl);
}

async function ends(pids: readonly number[], since: number, withinMs: number): Promise<number[]> {
  return await Promise.all(
    pids.map(async (pid) => {
      await until(`the end of runner ${pid}`, () => !isAlive(pid), {
        seconds: withinMs / 1000,
        everyMs: 5,
      }).catch(() => {});
      return performance.now() - since;
    }),
  );
}

/** Requests of a crawl change hands at most once for each claim, unless two run it at once. */
async function doubleRuns({ crawls, pool }: Stage): Promise<number> {
  let doubles = 0;
  for (const { id, section, origin } of crawls.all) {
    const agents = origin.log.filter(({ path }) => path.startsWith(section.prefix)).map(({ agent }) => agent);
    const changes = agents.filter((agent, index) => index > 0 && agent !== agents[index - 1]).length;
    const { rows } = await pool.query<{ claims: number }>(
      `SELECT count(*) AS claims FROM job_events WHERE job_id = $1 AND transition = 'claim'`,
      [id],
    );
    if (changes > Number(rows[0]?.claims ?? 0) - 1) doubles++;
  }
  return doubles;
}
