import { setTimeout as delay } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { Pool } from 'undici';
import type { CrawlResult, CrawlTask } from './crawler.ts';
import { UrlQueue } from './url-queue.ts';

/**
 * A bare loop for imperfect sites, which never slows down: what was refused is asked for again when all else is done. It shows
 * what a site's faults cost at least.
 */
export async function crawl({ origin, concurrency, retries = 0 }: CrawlTask): Promise<CrawlResult> {
  const pool = new Pool(origin, { connections: concurrency });
  const started = performance.now();
  let pages = 0;
  let links = 0;
  let refused: string[] = [];
  const queue = new UrlQueue(`${origin}/`);
  const fetchPage = async (url: string): Promise<void> => {
    const { statusCode, headers, body } = await pool.request({
      method: 'GET',
      path: url.slice(origin.length),
    });
    const html = await body.text();
    if (statusCode >= 500) refused.push(url);
    else if (statusCode === 301) await fetchPage(new URL(String(headers['location']), url).href);
    if (statusCode !== 200) return;
    pages += 1;
    const parser = new Parser({
      onopentag(name, { href }) {
        if (name !== 'a' || href === undefined) return;
        const link = new URL(href, url);
        if (link.origin !== origin) return;
        links += 1;
        queue.add(link.href);
      },
    });
    parser.end(html);
  };
  await queue.drain(concurrency, fetchPage);
  for (let round = 0; round < retries && refused.length > 0; round++) {
    if (round > 0) await delay(1_000);
    const again = refused;
    refused = [];
    await Promise.all(again.map(fetchPage));
    await queue.drain(concurrency, fetchPage);
  }
  const ms = performance.now() - started;
  await pool.close();
  return { ms, pages, links };
}
