import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { crawlOptions, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import { openCrawl } from './open-crawl.ts';

const queue = new QueueFixture();
let site: LocalSite;
let asked: Promise<ServerResponse>;

beforeAll(async () => {
  let ask: (response: ServerResponse) => void;
  asked = new Promise((resolve) => {
    ask = resolve;
  });
  // Never answered.
  site = await startSite((_, response) => ask(response));
});
afterAll(() => site.close());

test('a request for robots.txt ends with the run that asked for it, before the run has let go of its job', async () => {
  const payload = { url: `${site.origin}/`, discover: false };
  const job = await queue.claimedOne({ payload });
  const crawl = await openCrawl({
    db: queue.pool,
    log: pino({ level: 'silent' }),
    job,
    options: crawlOptions.parse(payload),
    configuration: { ...readConfiguration({}), allowPrivate: [site.origin] },
    leaseEnds: () => Number.POSITIVE_INFINITY,
    actor: 'supervisor:w1',
  });
  try {
    const closed = once(await asked, 'close');
    await actOnJob(queue.pool, 'pause', job.id);
    crawl.stop('pause');
    await crawl.ended;
    expect((await showJob(queue.pool, job.id)).status).toBe('paused');
    // Closing the fetcher would end it as well, and so would its own time limit of 20 s; neither has come.
    await closed;
    expect(site.requests).toEqual(['GET /robots.txt']);
  } finally {
    await crawl.close();
  }
}, 15_000);
