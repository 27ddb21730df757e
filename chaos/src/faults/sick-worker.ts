import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChaosRun, type Fault, judgesTimes, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import type { HoldfastProcess } from '../processes/holdfast-process.ts';
import { badEnds, countEvents, databaseTime } from '../stage/database-time.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import type { Stage } from '../stage/stage.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

/** A worker that looks at its machine in vain for so long has claimed one job, and died of it, twice at most. */
const sickMs = 10_000;
const mostClaims = 2;

export const sickWorker: Fault = {
  id: 'F24',
  title:
    'a worker whose runners die at once (files replaced, bad Node options, full temporary folder), a healthy one beside it',
  run: async (run) => {
    const machine = new SickMachine(run);
    try {
      return await withStage(run, { workers: 1, jobsPerWorker: 2 }, async (stage) => {
        // Each ill at least once, but in the smallest cut.
        const rounds = scaled(run, 12, judgesTimes(run) ? machine.ills.length : 1);
        const first = run.random.between(0, machine.ills.length - 1);
        const sick = stage.startWorker(machine.env, machine.program);
        await stage.ready();
        // More than the healthy one takes: there is always a job for the sick one to try.
        await stage.crawls.keep(8, { pages: scaled(run, 300, 100) });
        const [fellSick, recovered]: [number[], number[]] = [[], []];
        let claims = 0;
        for (let round = 0; round < rounds; round++) {
          const ill = machine.ills[(first + round) % machine.ills.length];
          await until('work at the worker', () => stage.running().some(({ worker }) => worker === sick));
          ill?.strike();
          const began = performance.now();
          await until(
            'a worker that says that it is sick',
            async () => (await troubleOf(stage, sick)) !== null,
          );
          fellSick.push(performance.now() - began);
          claims += await judgeSick(stage, sick);
          ill?.mend();
          const mended = performance.now();
          const at = await databaseTime(stage.pool);
          await until('a worker that is well again', async () => (await troubleOf(stage, sick)) === null);
          await until('its next claims', async () => (await claimsOf(stage, sick, at)) > 1);
          recovered.push(performance.now() - mended);
          run.say(`${round + 1} of ${rounds} times, ${ill?.name}`);
        }
        await stage.crawls.finish();
        const figures = await judgeCrawls(stage);
        const failed = stage.crawls.all.filter(({ id }) => stage.crawls.statusOf(id) === 'failed').length;
        const burned = await countEvents(stage.pool, 'crash', 'recover');
        if (burned > 0) run.blame(`${burned} retries were burned: ${(await badEnds(stage.pool)).join('; ')}`);
        const failedStarts = await countEvents(stage.pool, 'failStart');
        if (failedStarts < 3 * rounds) run.blame(`only ${failedStarts} runs failed to start`);
        return {
          rounds,
          failed_jobs: failed,
          failed_starts: failedStarts,
          claims_while_sick: claims,
          retries_burned: burned,
          ...figures,
          sick_ms_max: percentileMs(fellSick, 1),
          well_again_ms_max: percentileMs(recovered, 1),
        };
      });
    } finally {
      machine.remove();
    }
  },
};

/** While it is sick it claims next to nothing, and says why wherever one looks. */
async function judgeSick(stage: Stage, sick: HoldfastProcess): Promise<number> {
  const { run } = stage;
  const at = await databaseTime(stage.pool);
  await delay(judgesTimes(run) ? sickMs : sickMs / 5);
  const claims = await claimsOf(stage, sick, at);
  if (claims > mostClaims) run.blame(`it claimed ${claims} jobs while it was sick`);
  const trouble = await troubleOf(stage, sick);
  if (!trouble?.includes('died before their first request')) run.blame(`its row says ${trouble}`);
  if (!sick.lines.some(({ msg }) => msg.includes('is sick and has stopped claiming jobs')))
    run.blame('its log does not say that it has stopped claiming');
  return claims;
}

async function troubleOf(stage: Stage, { name }: HoldfastProcess): Promise<string | null> {
  const { rows } = await stage.pool.query<{ trouble: string | null }>(
    'SELECT trouble FROM workers WHERE id = $1',
    [name],
  );
  return rows[0]?.trouble ?? null;
}

async function claimsOf(stage: Stage, { name }: HoldfastProcess, since: Date): Promise<number> {
  const { rows } = await stage.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM job_events WHERE transition = 'claim' AND actor = $1 AND at > $2`,
    [`supervisor:${name}`, since],
  );
  return rows[0]?.count ?? 0;
}

/** What is wrong with the machine, and how it is put right. */
interface Ill {
  readonly name: string;
  readonly strike: () => void;
  readonly mend: () => void;
}

/** A copy of the bundle that can be damaged, with a Node option that can be, and no room for temporary files at all. */
class SickMachine {
  readonly program: string;
  readonly env: Record<string, string>;
  readonly ills: readonly Ill[];
  readonly #folder: string;

  constructor({ root }: ChaosRun) {
    const built = join(root, 'packages/server/dist');
    this.#folder = mkdtempSync(join(built, 'chaos-sick-'));
    for (const file of readdirSync(built, { withFileTypes: true }))
      if (file.isFile() && file.name.endsWith('.js'))
        copyFileSync(join(built, file.name), join(this.#folder, file.name));
    this.program = join(this.#folder, 'holdfast.js');
    const runner = join(this.#folder, 'runner.js');
    const option = join(this.#folder, 'option.cjs');
    writeFileSync(option, '');
    this.env = {
      NODE_OPTIONS: `--require ${option}`,
      // Not even root can make a file in it.
      TMPDIR: '/dev/null/full',
    };
    const mendRunner = () => copyFileSync(join(built, 'runner.js'), runner);
    this.ills = [
      { name: 'its program removed', strike: () => rmSync(runner), mend: mendRunner },
      { name: 'a bad Node option', strike: () => rmSync(option), mend: () => writeFileSync(option, '') },
      {
        name: 'its program replaced',
        strike: () => writeFileSync(runner, "throw new Error('this is another version');"),
        mend: mendRunner,
      },
    ];
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
