// Every benchmark there is; the numbers are those of the project's table of floors and goals.
export const benchmarks = [
  {
    id: 'B1',
    group: 'queue',
    file: './src/queue-throughput.ts',
    title: '100,000 no-op jobs, claim to completion, against graphile-worker, pg-boss and BullMQ',
  },
  {
    id: 'B2',
    group: 'queue',
    file: './src/queue-depth.ts',
    title: 'one claim on a full table, and under an old snapshot, against one on an empty table',
  },
  {
    id: 'B3',
    group: 'queue',
    file: './src/queue-latency.ts',
    title: 'enqueue to start on an idle worker, against a bare NOTIFY',
  },
  {
    id: 'B4',
    group: 'crawl',
    file: './src/crawl-speed.ts',
    title: 'a durable crawl of 5,000 pages, against bare loops, Crawlee and Scrapy that store nothing',
  },
  {
    id: 'B5',
    group: 'crawl',
    file: './src/crawl-markdown.ts',
    title: 'the same with the main content as markdown, against Crawlee without',
  },
  {
    id: 'B6',
    group: 'growth',
    file: './src/crawl-growth.ts',
    title: 'what a page costs, and a runner needs, with 10,000, 100,000 and 1,000,000 known URLs',
  },
  {
    id: 'B7',
    group: 'resume',
    file: './src/crawl-resume.ts',
    title: 'from the death of a runner to the next stored page, with 1,000 and 1,000,000 known URLs',
  },
  {
    id: 'B8',
    group: 'bots',
    file: './src/bots-throughput.ts',
    title: '50 bots pull and submit over HTTP, against a bare Fastify that inserts the same rows',
  },
  {
    id: 'B9',
    group: 'console',
    file: './src/console-lists.ts',
    title: 'every list of the console with 1,000,000 jobs and 5,000,000 pages, against 1,000 and 5,000',
  },
  {
    id: 'B10',
    group: 'politeness',
    file: './src/crawl-politeness.ts',
    title: 'fifty quick hosts in one crawl with a slow or paused one, against the fifty alone',
  },
  {
    id: 'B11',
    group: 'start',
    file: './src/up-start.ts',
    title: '`up` to its first answer, its database made before, against an empty Fastify',
  },
  {
    id: 'B12',
    group: 'imperfect',
    file: './src/crawl-imperfect.ts',
    title:
      '1,500 pages of which some fail, wait, trickle, move or are gone, against the same without faults, Crawlee and Scrapy',
  },
  {
    id: 'B12b',
    group: 'overload',
    file: './src/crawl-overload.ts',
    title:
      'two crawls on two workers against an origin of 50, 20 and 50 requests a second that refuses the rest',
  },
  {
    id: 'scaling',
    group: 'scaling',
    file: './src/crawl-scaling.ts',
    title: 'what a page costs workers, PostgreSQL and its disk with 1, 2, 4 and 8 crawls at once',
  },
];

/** The benchmarks that the words name, in their own order; all of them when there is no word. */
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
