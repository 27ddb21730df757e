import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio';
import { MemoryStorage } from '@crawlee/memory-storage';
import type { CrawlResult, CrawlTask } from './crawler.ts';

/** CheerioCrawler with everything in memory, as its documentation has it for speed. Keeps no page. */
export async function crawl({ origin, concurrency, maxPages, retries = 0 }: CrawlTask): Promise<CrawlResult> {
  // Retries are no news.
  log.setLevel(retries > 0 ? LogLevel.OFF : LogLevel.WARNING);
  const configuration = new Configuration({
    storageClient: new MemoryStorage({ persistStorage: false, writeMetadata: false }),
    persistStorage: false,
    // Its own measure of a machine's load would hold it back beside the site's server.
    maxUsedCpuRatio: 1,
    memoryMbytes: 8192,
  });
  let pages = 0;
  let links = 0;
  const crawler = new CheerioCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      useSessionPool: false,
      maxRequestRetries: retries,
      ...(maxPages !== undefined && { maxRequestsPerCrawl: maxPages }),
      async requestHandler({ $, enqueueLinks }) {
        pages += 1;
        links += $('a[href]').length;
        await enqueueLinks();
      },
    },
    configuration,
  );
  const started = performance.now();
  await crawler.run([`${origin}/`]);
  return { ms: performance.now() - started, pages, links };
}
