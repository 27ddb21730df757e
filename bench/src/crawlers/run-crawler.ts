import type { CrawlerModule, CrawlTask } from './crawler.ts';

/** One crawl by one contender, which has this process to itself. */
const [, , file = '', task = ''] = process.argv;
const { crawl } = (await import(file)) as CrawlerModule;
const before = process.cpuUsage();
const result = await crawl(JSON.parse(task) as CrawlTask);
const { user, system } = process.cpuUsage(before);
const peakMb = process.resourceUsage().maxRSS / 1000;
process.send?.({ ...result, peakMb, cpuSeconds: (user + system) / 1e6 });
process.disconnect?.();
