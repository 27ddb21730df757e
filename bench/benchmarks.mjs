// All benchmarks, numbered as in bench/README.md.
export const benchmarks = [
  {
    id: 'B1',
    group: 'queue',
    file: './src/queue-throughput.ts',
    title:
      'queue throughput: 100,000 no-op jobs, claim to completion, against graphile-worker, pg-boss and BullMQ',
  },
  {
    id: 'B2',
    group: 'queue',
    file: './src/queue-depth.ts',
    title: 'claim latency on a full table, and under an old snapshot, against an empty table',
  },
  {
    id: 'B3',
    group: 'queue',
    file: './src/queue-latency.ts',
    title: 'start latency: enqueue to start on an idle worker, against a bare NOTIFY',
  },
  {
    id: 'B4',
    group: 'crawl',
    file: './src/crawl-speed.ts',
    title:
      'crawl speed: a durable crawl of 5,000 pages, against bare loops, Crawlee and Scrapy that store nothing',
  },
  {
    id: 'B5',
    group: 'crawl',
    file: './src/crawl-markdown.ts',
    title: 'crawl with markdown: B4 with the main content as markdown, against Crawlee without',
  },
  {
    id: 'B6',
    group: 'growth',
    file: './src/crawl-growth.ts',
    title: 'frontier growth: cost of a page, and memory, with 10,000, 100,000 and 1,000,000 known URLs',
  },
  {
    id: 'B7',
    group: 'resume',
    file: './src/crawl-resume.ts',
    title:
      'recovery: from the death of a runner to the next stored page, with 1,000 and 1,000,000 known URLs',
  },
  {
    id: 'B8',
    group: 'bots',
    file: './src/bots-throughput.ts',
    title: 'bots: 50 bots pull and submit over HTTP, against a bare Fastify that inserts the same rows',
  },
  {
    id: 'B9',
    group: 'console',
    file: './src/console-lists.ts',
    title: 'console lists with 1,000,000 jobs and 5,000,000 pages, against 1,000 and 5,000',
  },
  {
    id: 'B10',
    group: 'politeness',
    file: './src/crawl-politeness.ts',
    title:
      'slow hosts: fifty fast hosts with a slow or paused one in the same crawl, against the fifty alone',
  },
  {
    id: 'B11',
    group: 'start',
    file: './src/up-start.ts',
    title: 'start: `holdfast up` to its first response, with an existing database, against an empty Fastify',
  },
  {
    id: 'B12',
    group: 'imperfect',
    file: './src/crawl-imperfect.ts',
    title:
      'imperfect site: 1,500 pages with errors, delays and redirects, against the same without faults, Crawlee and Scrapy',
  },
  {
    id: 'B12b',
    group: 'overload',
    file: './src/crawl-overload.ts',
    title: 'overload: two crawls against an origin that refuses requests beyond 50, 20 and 50 per second',
  },
  {
    id: 'B13',
    group: 'rendering',
    file: './src/crawl-rendered.ts',
    title:
      'rendering: 300 pages that need JavaScript, stored durably, against PlaywrightCrawler that stores nothing',
  },
  {
    id: 'B14',
    group: 'rendering',
    file: './src/crawl-auto.ts',
    title: 'auto: 300 pages of which a tenth needs JavaScript, against both parts fetched by the right means',
  },
  {
    id: 'scaling',
    group: 'scaling',
    file: './src/crawl-scaling.ts',
    title: 'cost of a page for workers, PostgreSQL and disk with 1, 2, 4 and 8 crawls at once',
  },
];

/** The benchmarks that the words select, in list order; all of them without words. */
export function chooseBenchmarks(words) {
  const wanted = words.map((word) => word.toLowerCase());
  const unknown = words.filter((word) => !benchmarks.some((one) => isNamed(one, word.toLowerCase())));
  const chosen =
    wanted.length === 0 ? benchmarks : benchmarks.filter((one) => wanted.some((word) => isNamed(one, word)));
  return { chosen, unknown };
}

function isNamed({ id, group }, word) {
  return id.toLowerCase() === word || group === word;
}
