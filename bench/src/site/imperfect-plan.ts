import { type ChooseLinks, numbersFrom } from './page-maker.ts';

/** What can be wrong with a page, and with how many of them. */
export const faultShares = {
  /** 503 with `Retry-After: 1` at the first request, the page at every other. */
  'refused-once': 0.02,
  /** 500 at every request. */
  broken: 0.01,
  /** Takes 1.5 s. */
  slow: 0.01,
  /** Comes in small pieces over 2 s. */
  trickle: 0.005,
  /** 301 to where the page is now. */
  moved: 0.02,
  /** 404 or 410. */
  gone: 0.02,
} as const;

export type Fault = keyof typeof faultShares;

/** The pages of a site that misbehave, by their number. */
export type Faults = ReadonlyMap<number, Fault>;

/** Draws the faults from a seed. The root has none, and every page that can be fetched is reached through others that can. */
export function drawFaults(seed: number, pages: number, links: ChooseLinks): Faults {
  const numbers = numbersFrom(seed);
  for (;;) {
    const faults = new Map<number, Fault>();
    for (const [fault, share] of Object.entries(faultShares) as [Fault, number][]) {
      for (let left = Math.round(share * pages); left > 0; ) {
        const page = 1 + (numbers.next().value % (pages - 1));
        if (faults.has(page)) continue;
        faults.set(page, fault);
        left -= 1;
      }
    }
    if (reachable(faults, links).size === fetchablePages(faults, pages).length) return faults;
  }
}

/** Numbers of the pages that whoever is patient gets. */
export function fetchablePages(faults: Faults, pages: number): number[] {
  return Array.from({ length: pages }, (_, page) => page).filter((page) => isFetchable(faults, page));
}

function isFetchable(faults: Faults, page: number): boolean {
  const fault = faults.get(page);
  return fault !== 'broken' && fault !== 'gone';
}

function reachable(faults: Faults, links: ChooseLinks): Set<number> {
  const reached = new Set([0]);
  // A Set hands out what is added while it is walked.
  for (const page of reached)
    for (const link of links(page)) if (isFetchable(faults, link)) reached.add(link);
  return reached;
}
