import { parseArgs } from 'node:util';
import { faults } from './faults/index.ts';
import { PrivateServer } from './postgres/private-server.ts';
import { runFault, type Verdict } from './run-fault.ts';

const usage = `npm run chaos -- [--fault F3[,F5]] [--seed 42] [--minutes 10] [--scale 0.1] [--json]

Runs the faults of docs/reliability.md against real processes and a PostgreSQL of its own.

  --fault    one or several; all of them by default
  --seed     what the sites and the plan of faults follow from; another run with it plays the same plan
  --minutes  again with the next seed, and the next, until so much time has passed
  --scale    a part of each fault's size, such as 0.1
  --json     only the lines for programs

${faults.map(({ id, title }) => `  ${id.padEnd(5)}${title}`).join('\n')}`;

const timings = { leaseSeconds: 10, heartbeatSeconds: 2, sweepSeconds: 2 };

/** The exit code: 0 when everything held, 1 when not, 2 when it was not understood. */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      fault: { type: 'string' },
      seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
      minutes: { type: 'string', default: '0' },
      scale: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = values.fault?.split(',');
  const chosen = faults.filter(({ id }) => !wanted || wanted.includes(id));
  const unknown = wanted?.filter((id) => !faults.some((fault) => fault.id === id)) ?? [];
  if (values.help || unknown.length > 0) {
    console.error(unknown.length > 0 ? `There is no fault ${unknown.join(', ')}.\n\n${usage}` : usage);
    return unknown.length > 0 ? 2 : 0;
  }
  const end = performance.now() + Number(values.minutes) * 60_000;
  const verdicts: Verdict[] = [];
  const server = await PrivateServer.create();
  try {
    let seed = Number(values.seed);
    if (!values.json) console.log(`Seed ${seed}, PostgreSQL in ${server.folder}`);
    do {
      for (const fault of chosen) {
        const say = (text: string) => {
          if (!values.json) console.log(`  ${fault.id}  ${text}`);
        };
        const verdict = await runFault(fault, {
          root,
          server,
          seed,
          scale: Number(values.scale),
          timings,
          say,
        });
        verdicts.push(verdict);
        const { problems, ...line } = verdict;
        console.log(JSON.stringify(line));
        for (const problem of problems.slice(0, 20)) console.error(`  ${fault.id}  ${problem}`);
      }
      seed++;
    } while (performance.now() < end);
  } finally {
    await server.remove();
  }
  if (!values.json) printTable(verdicts);
  return verdicts.every(({ pass }) => pass) ? 0 : 1;
}

function printTable(verdicts: readonly Verdict[]): void {
  console.log();
  for (const { id, seed, pass, figures } of verdicts) {
    const title = faults.find((fault) => fault.id === id)?.title ?? '';
    console.log(`${pass ? 'held  ' : 'FAILED'}  ${id.padEnd(4)} seed ${seed}  ${title}`);
    const shown = Object.entries(figures).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
    console.log(`              ${shown.join(', ')}`);
  }
}
