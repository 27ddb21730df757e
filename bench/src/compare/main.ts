// npm run bench -- compare --with CHECKOUT [--repeats N] [NAME…]   This checkout and another in turns.
import { fileURLToPath } from 'node:url';
import { printTable, thousands } from '../print-table.ts';
import type { Spread } from '../statistics.ts';
import type { Figure } from './laps.ts';
import { Side } from './side.ts';
import { type Comparison, compareLaps } from './verdict.ts';

const ownBench = fileURLToPath(new URL('../../', import.meta.url));
const [, , otherBench = '', repeatsText = '', ...ids] = process.argv;
const repeats = Number(repeatsText);

for (const id of ids) {
  console.log(`${id}  old and new in turns, ${repeats} repeats`);
  const comparisons = await compare(id);
  printComparisons(comparisons);
  const pass = comparisons.every(({ holds }) => holds !== false);
  console.log(`${JSON.stringify({ id: `compare-${id}`, pass, figures: { repeats, comparisons } })}\n`);
  if (!pass) process.exitCode = 1;
}

async function compare(id: string): Promise<Comparison[]> {
  const sides: Side[] = [];
  try {
    // One after the other: preparing is not to be measured, and takes the whole machine.
    for (const bench of [otherBench, ownBench]) sides.push(await Side.start(bench, id));
    const laps: (readonly Figure[])[][] = [[], []];
    for (let repeat = 0; repeat <= repeats; repeat++) {
      for (const at of repeat % 2 === 0 ? [0, 1] : [1, 0]) {
        const figures = (await sides[at]?.lap()) ?? [];
        // The first repeat warms up.
        if (repeat === 0) continue;
        laps[at]?.push(figures);
        const told = figures
          .filter(({ aside }) => !aside)
          .map(({ name, value }) => `${name} ${thousands(value)}`);
        console.log(`  repeat ${repeat}: ${at === 0 ? 'old' : 'new'}: ${told.join(', ')}`);
      }
    }
    return compareLaps(laps[0] ?? [], laps[1] ?? []);
  } finally {
    for (const side of sides) await side.stop();
  }
}

function printComparisons(comparisons: readonly Comparison[]): void {
  const range = ({ min, max }: Spread) => `${thousands(min)}–${thousands(max)}`;
  const percent = (gain: number) => `${gain > 0 ? '+' : ''}${(gain * 100).toFixed(1)} %`;
  printTable(
    ['', 'old', 'spread', 'new', 'spread', 'better by', 'in pairs', 'within noise'],
    comparisons.map((one) => [
      one.name,
      thousands(one.old.median),
      range(one.old),
      thousands(one.new.median),
      range(one.new),
      percent(one.gain),
      percent(one.gainInPairs),
      one.holds === undefined ? '' : one.holds ? 'yes' : 'NO',
    ]),
  );
}
