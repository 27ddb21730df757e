import type { Figures } from '../fault.ts';
import type { Stage } from './stage.ts';

/** Holds all crawls of a stage, finished by now, to the invariants, to their sites and to the origins' logs. */
export async function judgeCrawls({ crawls, pool, run }: Stage): Promise<Figures> {
  for (const violation of await crawls.violations()) run.blame(violation);
  const total = { crawls: 0, pages: 0, lost: 0, wrong: 0, refetched: 0, over_asked: 0 };
  for (const crawl of crawls.all) {
    if (crawls.statusOf(crawl.id) !== 'completed')
      run.blame(`job ${crawl.id} is ${crawls.statusOf(crawl.id)}`);
    const { lost, wrong, refetched, overAsked, pages } = await crawls.compare(crawl);
    total.crawls++;
    total.pages += pages;
    total.lost += lost;
    total.wrong += wrong.length;
    total.refetched += refetched;
    total.over_asked += overAsked.length;
    if (lost > 0) run.blame(`${lost} URLs of job ${crawl.id} are lost`);
    for (const problem of wrong.slice(0, 3)) run.blame(`job ${crawl.id}: ${problem}`);
    for (const problem of overAsked.slice(0, 3)) run.blame(`job ${crawl.id}: ${problem}`);
  }
  const { rows } = await pool.query<{ twice: number }>(
    'SELECT count(*) - count(DISTINCT (job_id, url_hash)) AS twice FROM crawl_pages',
  );
  return { ...total, duplicates: Number(rows[0]?.twice ?? 0) };
}
