import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PrivateServer } from '../postgres/private-server.ts';
import { Random } from '../random.ts';
import { drawSoak } from './draw-soak.ts';
import { judgedFromMinutes, soak } from './soak.ts';

const usage = `npm run soak -- [--minutes 20] [--seed 42] [--plot docs/soak.svg] [--json]

Crawls, policies, bots, prices and faults together, against real processes and a PostgreSQL of its own.

  --minutes  how long; growth is judged from ${judgedFromMinutes} on
  --seed     what the sites and the plan of faults follow from
  --plot     where to draw what was measured, as SVG
  --json     only the line for programs`;

const timings = { leaseSeconds: 10, heartbeatSeconds: 2, sweepSeconds: 2 };

/** The exit code: 0 when every invariant held and nothing grew. */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
      plot: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.error(usage);
    return 0;
  }
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  const problems: string[] = [];
  const server = await PrivateServer.create();
  try {
    if (!values.json) console.log(`Seed ${seed}, PostgreSQL in ${server.folder}`);
    const soaked = await soak(
      {
        root,
        server,
        seed,
        timings,
        scale: 1,
        random: new Random(seed, 'soak', 'choices'),
        say: (text) => {
          if (!values.json) console.log(`  ${text}`);
        },
        blame: (problem) => problems.push(problem),
      },
      minutes,
    );
    const { figures, growth, plan, samples } = soaked;
    if (values.plot)
      writeFileSync(
        resolve(root, values.plot),
        drawSoak(samples, plan, `Soak of ${minutes} minutes, seed ${seed}`),
      );
    const grown = Object.entries(growth).map(([name, { usual, added, percent }]) => [
      name,
      { usual: round(usual), added: round(added), percent: round(percent) },
    ]);
    const pass = problems.length === 0;
    console.log(JSON.stringify({ id: 'soak', seed, pass, figures, growth: Object.fromEntries(grown) }));
    for (const problem of problems.slice(0, 30)) console.error(`  ${problem}`);
    if (!values.json && pass && minutes >= judgedFromMinutes) console.log('No growth after warming up.');
    return pass ? 0 : 1;
  } finally {
    await server.remove();
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
