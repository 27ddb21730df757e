import type { BenchServer } from './bench-server.ts';
import { figuresOf, holdfast, holdfastLaps, peer, race, reaches, scrapy } from './crawl-race.ts';
import type { Outcome } from './main.ts';

const repeats = 5;
const floor = { 'bare loop': 0.7, crawlee: 6 };
const goal = { 'bare loop': 1, 'best bare loop': 0.8, crawlee: 10, scrapy: 35 };

export const withLaps = holdfastLaps(false);

/** B4: everything but the markdown is extracted and stored, durably. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const { standings, table } = await race(server, [
    holdfast(repeats, false),
    peer('bare loop', './bare-loop.ts', repeats),
    peer('best bare loop', './best-bare-loop.ts', repeats),
    peer('crawlee', './crawlee.ts', 3, 2_000),
    ...scrapy(2, 500),
  ]);
  return {
    table,
    pass: reaches(standings, floor),
    figures: { ...figuresOf(standings), floor, goal, goal_reached: reaches(standings, goal) },
  };
}
