import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchServer } from './bench-server.ts';
import type { ContenderModule, Setting } from './contenders/contender.ts';
import { RedisServer } from './contenders/redis-server.ts';
import type { Task } from './contenders/run-contender.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { spread } from './statistics.ts';

const jobs = 100_000;
const trialJobs = 20_000;
const warmUp = 5_000;
const repeats = 5;
const floor = { graphile_worker: 1.2 };
const goal = { graphile_worker: 1.5, pg_boss: 2, bullmq: 3 };

const names = ['holdfast', 'graphile_worker', 'graphile_worker_wide', 'pg_boss', 'bullmq'] as const;
type Name = (typeof names)[number];
interface Contestant {
  readonly name: Name;
  readonly file: string;
  readonly setting: Setting;
}

export async function measure(server: BenchServer): Promise<Outcome> {
  const contestants: Contestant[] = [];
  for (const name of names) {
    if (name === 'bullmq' && !RedisServer.isInstalled())
      console.log('  bullmq: skipped, redis-server is not installed');
    else contestants.push(await bestOf(server, name));
  }
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const one of orderOf(contestants, repeat)) {
      const rate = await jobsPerSecond(server, one, jobs);
      rates.get(one.name)?.push(rate);
      console.log(`  repeat ${repeat + 1}: ${one.name} ${thousands(rate)} jobs/s`);
    }
  }
  return report(contestants, rates);
}

/** Each goes first in turn, and every other time they go backwards: nobody always comes after the same one. */
function orderOf(contestants: readonly Contestant[], repeat: number): readonly Contestant[] {
  const turn = repeat % contestants.length;
  const order = [...contestants.slice(turn), ...contestants.slice(0, turn)];
  return repeat % 2 === 0 ? order : order.toReversed();
}

async function bestOf(server: BenchServer, name: Contestant['name']): Promise<Contestant> {
  const file = new URL(`./contenders/${name.replaceAll('_', '-')}.ts`, import.meta.url).href;
  const { settings } = (await import(file)) as ContenderModule;
  const tried: { one: Contestant; rate: number }[] = [];
  for (const setting of settings) {
    const one: Contestant = { name, file, setting };
    const rate = settings.length > 1 ? await jobsPerSecond(server, one, trialJobs) : 0;
    if (rate) console.log(`  trial: ${name} ${describe(setting)}: ${thousands(rate)} jobs/s`);
    tried.push({ one, rate });
  }
  const [best] = tried.toSorted((a, b) => b.rate - a.rate);
  if (!best) throw new Error(`${name} has no settings`);
  return best.one;
}

/** Each repeat has its own process and its own new database; Redis runs only while it is asked. */
async function jobsPerSecond(
  server: BenchServer,
  { name, file, setting }: Contestant,
  count: number,
): Promise<number> {
  const run = async (url: string) =>
    (count / (await runContender({ file, url, setting, warmUp, jobs: count }))) * 1000;
  return name === 'bullmq' ? RedisServer.use(run) : server.withDatabase(`bench_${name}`, run);
}

async function runContender(task: Task): Promise<number> {
  const program = new URL('./contenders/run-contender.ts', import.meta.url);
  const child = fork(program, [JSON.stringify(task)], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production', NO_LOG_SUCCESS: '1' },
  });
  let ms = Number.NaN;
  child.once('message', (message) => {
    ms = Number(message);
  });
  const [code] = await once(child, 'exit');
  if (code !== 0 || Number.isNaN(ms)) throw new Error(`${task.file} ended with code ${code}`);
  return ms;
}

function report(contestants: readonly Contestant[], rates: ReadonlyMap<string, number[]>): Outcome {
  const ours = rates.get('holdfast') ?? [];
  const figures: Record<string, unknown> = { jobs, repeats };
  const ratios: Partial<Record<Name, number>> = {};
  const rows = contestants.map(({ name, setting }) => {
    const own = rates.get(name) ?? [];
    const rate = spread(own, 0);
    const cells = [
      name,
      describe(setting),
      thousands(rate.median),
      `${thousands(rate.min)}–${thousands(rate.max)}`,
    ];
    if (name === 'holdfast') {
      figures[name] = { jobs_per_second: rate };
      return cells;
    }
    // Of the same repeat, so that slow noise of the machine falls on both.
    const ratio = spread(own.map((peer, repeat) => (ours[repeat] ?? 0) / peer));
    ratios[name] = ratio.median;
    figures[name] = { jobs_per_second: rate, holdfast_is_times: ratio };
    return [
      ...cells,
      `${ratio.median} ×`,
      `${ratio.min}–${ratio.max}`,
      name in goal ? `${goal[name as keyof typeof goal]} ×` : '',
    ];
  });
  const table = printTable(['', 'setting', 'jobs/s', 'spread', 'ratio', 'spread', 'goal'], rows);
  const reaches = (bar: Partial<Record<Name, number>>) =>
    Object.entries(bar).every(([peer, least]) => (ratios[peer as Name] ?? Number.POSITIVE_INFINITY) >= least);
  return { table, pass: reaches(floor), figures: { ...figures, floor, goal, goal_reached: reaches(goal) } };
}

const describe = (setting: Setting) =>
  Object.entries(setting)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
