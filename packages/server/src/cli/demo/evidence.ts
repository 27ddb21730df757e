import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { Paint } from '../terminal-text.ts';
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

/** Counts of the crawl, taken at the site, in the database and in the file. */
export interface Evidence {
  readonly rows: number;
  /** URLs with more than one row. */
  readonly storedTwice: number;
  readonly lines: number;
  readonly fetched: number;
  readonly differentLines: number;
  readonly requests: number;
  readonly askedOnce: number;
  /** Repeated requests because the page failed. */
  readonly retries: number;
  /** Pages requested again because of the kill: requested but not saved yet. */
  readonly again: number;
  /** Of these, pages that the site had not answered yet. */
  readonly unanswered: number;
  /** Pages requested again although they had been saved. */
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

interface Claim {
  readonly text: string;
  readonly count: number;
  readonly note: string;
  readonly holds?: boolean;
}

export function claimsOf(evidence: Evidence): Claim[] {
  const {
    rows,
    storedTwice,
    lines,
    differentLines,
    fetched,
    requests,
    askedOnce,
    retries,
    again,
    unanswered,
    wasted,
    lost,
  } = evidence;
  return [
    { text: 'URLs in the database', count: rows, note: 'each once', holds: storedTwice === 0 },
    {
      text: 'pages in the file',
      count: lines,
      note: 'every stored page, no duplicates, no partial line',
      holds: lines === fetched && differentLines === lines,
    },
    { text: 'requests at the site', count: requests, note: `${askedOnce} pages were requested exactly once` },
    {
      text: 'repeated after an error',
      count: retries,
      note: 'the site answered HTTP 500, and the page was retried',
    },
    {
      text: 'repeated after the kill',
      count: again,
      note: `${unanswered} were in flight when the runner died, ${again - unanswered} answered but not saved`,
    },
    {
      text: 'repeated needlessly',
      count: wasted,
      note: 'pages that were already saved: must be 0',
      holds: wasted === 0,
    },
    { text: 'pages lost', count: lost.length, note: lost.join(' '), holds: lost.length === 0 },
  ];
}

/** The claims, each with a mark for whether it holds. */
export function evidenceText(claims: readonly Claim[], paint: Paint): string {
  const width = Math.max(...claims.map(({ text }) => text.length));
  return claims
    .map(({ text, count, note, holds }) => {
      const mark = holds === undefined ? ' ' : holds ? paint('green', '✓') : paint('red', '✗');
      return `  ${mark} ${text.padEnd(width)}  ${String(count).padStart(5)}  ${paint('dim', note)}`.trimEnd();
    })
    .join('\n');
}
