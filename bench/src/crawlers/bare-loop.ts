import { Parser } from 'htmlparser2';
import { Pool } from 'undici';
import type { CrawlResult, CrawlTask } from './crawler.ts';
import { UrlQueue } from './url-queue.ts';

/** The loop that people write first: undici's `request`, htmlparser2's Parser, a Set of URLs. Nothing is stored. */
export async function crawl({ origin, concurrency }: CrawlTask): Promise<CrawlResult> {
  const pool = new Pool(origin, { connections: concurrency });
  const started = performance.now();
  let links = 0;
  const queue = new UrlQueue(`${origin}/`);
  await queue.drain(concurrency, async (url) => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: url.slice(origin.length) });
    const html = await body.text();
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
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
  });
  const ms = performance.now() - started;
  await pool.close();
  return { ms, pages: queue.size, links };
}
