import type { Figures } from '../fault.ts';
import type { Stage } from './stage.ts';

/** Holds all crawls of a stage, finished by now, to the invariants, to their sites and to the origins' logs. */
export async function judgeCrawls(
  stage: Stage,
  /** Cancelled ones are held to the invariants alone. */
  { mayBeCancelled = false }: { mayBeCancelled?: boolean } = {},
): Promise<Figures> {
  const { crawls, pool, run } = stage;
  for (const violation of await crawls.violations()) run.blame(violation);
  const total = {
    crawls: 0,
    pages: 0,
    lost: 0,
    wrong: 0,
    refetched: 0,
    over_asked: 0,
    unplanned_deaths: 0,
    taken_for_poison: 0,
  };
  for (const crawl of crawls.all) {
    const status = crawls.statusOf(crawl.id);
    total.crawls++;
    if (mayBeCancelled && status === 'cancelled') continue;
    if (status !== 'completed') run.blame(`job ${crawl.id} is ${status}`);
    const { lost, wrong, refetched, overAsked, pages, unplanned, blamed } = await crawls.compare(crawl);
    total.pages += pages;
    total.unplanned_deaths += unplanned;
    total.taken_for_poison += blamed;
    total.lost += lost;
    total.wrong += wrong.length;
    total.refetched += refetched;
    if (lost > 0) run.blame(`${lost} URLs of job ${crawl.id} are lost`);
    for (const problem of wrong.slice(0, 3)) run.blame(`job ${crawl.id}: ${problem}`);
    total.over_asked += overAsked.length;
    for (const problem of overAsked.slice(0, 3)) run.blame(`job ${crawl.id}: ${problem}`);
    if (overAsked.length > 0) run.blame(`job ${crawl.id} went: ${await crawls.story(crawl)}`);
  }
  const { rows } = await pool.query<{ twice: number }>(
    'SELECT count(*) - count(DISTINCT (job_id, url_hash)) AS twice FROM crawl_pages',
  );
  return { ...total, duplicates: Number(rows[0]?.twice ?? 0), ...judgeLimits(stage) };
}

/** Invariant 9: all workers together keep the limit of a source. */
export function judgeLimits({ limitPerMinute, origins, run }: Stage): Figures {
  if (limitPerMinute === undefined) return {};
  const busiest = Math.max(...origins.map(({ busiestMinute }) => busiestMinute));
  if (busiest > limitPerMinute)
    run.blame(
      `invariant 9: ${busiest} requests within a minute, at a source whose limit is ${limitPerMinute}`,
    );
  return { limit_per_minute: limitPerMinute, busiest_minute: busiest };
}
