import { describe, expect, it } from 'vitest';
import { judgeImperfect } from '../../bench/src/imperfect-verdict.ts';
import { drawFaults, type Fault, faultShares, fetchablePages } from '../../bench/src/site/imperfect-plan.ts';
import { siteLinks } from '../../bench/src/site/page-maker.ts';

const pages = 1_500;
const links = siteLinks(pages);
const seeds = [1, 2, 3, 4_000_000_000];

describe('the faults of an imperfect site', () => {
  it('are as many as they are said to be, and none is at the root', () => {
    for (const seed of seeds) {
      const faults = drawFaults(seed, pages, links);
      const drawn = [...faults.values()];
      for (const [fault, share] of Object.entries(faultShares))
        expect(drawn.filter((one) => one === fault)).toHaveLength(Math.round(share * pages));
      expect(faults.has(0)).toBe(false);
    }
  });

  it('follow from the seed alone, and differ from seed to seed', () => {
    expect(drawFaults(7, pages, links)).toEqual(drawFaults(7, pages, links));
    expect(drawFaults(7, pages, links)).not.toEqual(drawFaults(8, pages, links));
  });

  it('cut off no page that can be fetched, even where pages have one way in', () => {
    const treeLinks = (page: number) => [page * 2 + 1, page * 2 + 2].filter((child) => child < 40);
    for (const seed of seeds) {
      const faults = drawFaults(seed, 40, treeLinks);
      const reached = new Set([0]);
      const fetchable = new Set(fetchablePages(faults, 40));
      for (const page of reached)
        for (const link of treeLinks(page)) if (fetchable.has(link)) reached.add(link);
      expect(reached).toEqual(fetchable);
    }
  });

  it('leave all pages but the broken and the gone ones to be fetched', () => {
    const faults = new Map<number, Fault>([
      [1, 'broken'],
      [2, 'gone'],
      [3, 'moved'],
      [4, 'trickle'],
    ]);
    expect(fetchablePages(faults, 6)).toEqual([0, 3, 4, 5]);
  });
});

describe('the verdict on a crawler of an imperfect site', () => {
  const sent = (page: number, atMs: number) => ({ page, atMs });

  it('ends with the last page that was new, whatever is asked for again', () => {
    const log = [sent(0, 100), sent(1, 400), sent(2, 2_000), sent(1, 9_000)];
    expect(judgeImperfect(log, [0, 1, 2], 60_000)).toEqual({
      fetched: 3,
      missing: 0,
      seconds: 2,
      pagesPerSecond: 1.5,
    });
  });

  it('counts a crawler that missed a page to the end of the time it was given, if it was given one', () => {
    const log = [sent(0, 100), sent(1, 400)];
    expect(judgeImperfect(log, [0, 1, 2], 60_000)).toMatchObject({ fetched: 2, missing: 1, seconds: 60 });
    expect(judgeImperfect(log, [0, 1, 2])).toMatchObject({ missing: 1, seconds: 0.4, pagesPerSecond: 5 });
    expect(judgeImperfect([], [0])).toMatchObject({ fetched: 0, missing: 1, pagesPerSecond: 0 });
  });
});
