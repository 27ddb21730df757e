import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { Kill } from './kill-runner.ts';
import { samplePaths } from './sample-page.ts';
import type { SampleSite } from './sample-site.ts';

interface Row {
  readonly url: string;
  readonly outcome: string;
  readonly attempts: number;
  readonly fetched_at: Date;
}

const rowsStatement = statement<Row>(
  'demo-pages',
  'SELECT url, outcome, attempts, fetched_at FROM crawl_pages WHERE job_id = $1',
);

/** What can be counted after the crawl, at the site, in the database and in the file. */
export interface Evidence {
  readonly rows: number;
  /** URLs with more than one row. */
  readonly storedTwice: number;
  readonly lines: number;
  readonly fetched: number;
  readonly differentLines: number;
  readonly requests: number;
  readonly askedOnce: number;
  /** Requests more than one that the page's own failures explain. */
  readonly retries: number;
  /** Pages asked for again because of the kill: requested and not yet saved. */
  readonly again: number;
  /** Those of them that the site had not answered yet. */
  readonly unanswered: number;
  /** Pages asked for again although they had been saved. */
  readonly wasted: number;
  readonly lost: readonly string[];
}

export async function examineCrawl(
  db: Queryable,
  jobId: string,
  site: SampleSite,
  kill: Kill | undefined,
  file: string,
): Promise<Evidence> {
  const rows = await run(db, rowsStatement, [jobId]);
  const urls = new Set(rows.map(({ url }) => url));
  const pages = rows.filter(({ url }) => !/\/(robots|llms|llms-full)\.txt$|\/sitemap\.xml$/.test(url));
  const times = (url: string) => site.timesAsked(url.slice(site.origin.length));
  const repeated = pages.filter(({ url, attempts }) => times(url) > attempts);
  const wasSaved = ({ fetched_at }: Row) => !kill || fetched_at < kill.at;
  const again = repeated.filter((row) => !wasSaved(row));
  const wasWaiting = ({ url }: Row) => kill?.waiting.includes(url.slice(site.origin.length)) ?? false;
  const lines = await readUrls(file);
  return {
    rows: rows.length,
    storedTwice: rows.length - urls.size,
    lines: lines.length,
    fetched: rows.filter(({ outcome }) => outcome === 'fetched').length,
    differentLines: new Set(lines).size,
    requests: pages.reduce((sum, { url }) => sum + times(url), 0),
    askedOnce: pages.filter(({ url }) => times(url) === 1).length,
    retries: pages.reduce((sum, { attempts }) => sum + attempts - 1, 0),
    again: again.length,
    unanswered: again.filter(wasWaiting).length,
    wasted: repeated.filter(wasSaved).length,
    lost: samplePaths().filter((path) => !urls.has(site.origin + path)),
  };
}

async function readUrls(file: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) }))
    urls.push((JSON.parse(line) as { url: string }).url);
  return urls;
}
