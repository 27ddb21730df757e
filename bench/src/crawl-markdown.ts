import type { BenchServer } from './bench-server.ts';
import { figuresOf, holdfast, holdfastLaps, peer, race, reaches } from './crawl-race.ts';
import type { Outcome } from './main.ts';

const repeats = 4;
const floor = { crawlee: 2 };
const goal = { crawlee: 4 };

export const withLaps = holdfastLaps(true);

/** B5: the same with the main content as markdown; Crawlee makes none. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const { standings, table } = await race(server, [
    holdfast(repeats, true),
    peer('crawlee', './crawlee.ts', repeats, 2_000),
    peer('bare loop', './bare-loop.ts', repeats),
  ]);
  return {
    table,
    pass: reaches(standings, floor),
    figures: { ...figuresOf(standings), floor, goal, goal_reached: reaches(standings, goal) },
  };
}
