import { MemoryStorage } from '@crawlee/memory-storage';
import { Configuration, LogLevel, log, PlaywrightCrawler, playwrightUtils } from '@crawlee/playwright';
import type { CrawlResult, CrawlTask } from './crawler.ts';

/**
 * PlaywrightCrawler with everything in memory, and images, fonts and styles blocked, as its documentation has it for speed. It
 * knows the element that shows that a page is finished: to wait for a quiet network takes longer, and missed the text of pages on
 * a busy machine. Keeps no page.
 */
export async function crawl(task: CrawlTask & RenderedTask): Promise<CrawlResult> {
  const { origin, start = '/', concurrency, browser } = task;
  log.setLevel(LogLevel.WARNING);
  const configuration = new Configuration({
    storageClient: new MemoryStorage({ persistStorage: false, writeMetadata: false }),
    persistStorage: false,
    // Its own measure of a machine's load would hold it back beside the site's server.
    maxUsedCpuRatio: 1,
    memoryMbytes: 8192,
  });
  let pages = 0;
  let links = 0;
  const crawler = new PlaywrightCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      useSessionPool: false,
      maxRequestRetries: 0,
      headless: true,
      launchContext: { launchOptions: { executablePath: browser, args: ['--no-sandbox'] } },
      browserPoolOptions: { useFingerprints: false, maxOpenPagesPerBrowser: concurrency },
      preNavigationHooks: [
        async ({ page, blockRequests }) => {
          await (blockRequests ?? (() => playwrightUtils.blockRequests(page)))();
        },
      ],
      async requestHandler({ page, enqueueLinks }) {
        await page.waitForSelector('main h1');
        const html = await page.content();
        if (!html.includes('for whoever reads them')) throw new Error(`${page.url()} has no text`);
        pages += 1;
        const found = await enqueueLinks();
        links += found.processedRequests.length;
      },
    },
    configuration,
  );
  const started = performance.now();
  await crawler.run([`${origin}${start}`]);
  return { ms: performance.now() - started, pages, links };
}

export interface RenderedTask {
  readonly start?: string;
  /** The program. */
  readonly browser: string;
}
