import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Governor } from './governor.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';
import { SimulatedCrawl } from './testing/simulated-crawl.ts';
import { type OriginOptions, SimulatedOrigin } from './testing/simulated-origin.ts';
import { VirtualTime } from './testing/virtual-time.ts';

const fixture = new GovernorFixture();
const log = pino({ level: process.env.SIMLOG ?? 'silent' });
let time: VirtualTime;
let closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  time = await VirtualTime.start(fixture.url);
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
  await time.close();
});

/** Two workers that crawl an origin, each with a governor of its own. */
function crawlWithTwo(capacity: number, options: Omit<OriginOptions, 'now'>) {
  const host = fixture.newHost();
  const origin = new SimulatedOrigin(capacity, { ...options, now: time.now });
  const crawls = ['a', 'b'].map((name) => {
    const governor = new Governor({ db: time.db, log, clock: time.now });
    const crawl = new SimulatedCrawl(governor.openRun(name), host, origin);
    closing.push(async () => {
      crawl.stop();
      await governor.close();
    });
    return crawl;
  });
  return { origin, host, lost: () => crawls.reduce((sum, { lost }) => sum + lost, 0) };
}

const kinds: Omit<OriginOptions, 'now'>[] = [
  { limiter: 'window', status: 429 },
  { limiter: 'window', status: 503 },
  { limiter: 'bucket', status: 429 },
  { limiter: 'bucket', status: 503 },
  { limiter: 'window', status: 429, retryAfterSeconds: 1 },
  { limiter: 'bucket', status: 503, retryAfterSeconds: 1 },
  { limiter: 'bucket', status: 503, flawed: 0.02 },
  { limiter: 'window', status: 503, latencyMs: 150 },
];

describe.each(kinds)('an origin that takes 50 requests a second: %j', (options) => {
  test('is used and seldom overloaded, also when it takes less for a while', async () => {
    const { origin, lost, host } = crawlWithTwo(50, options);
    const start = time.now();
    for (let n = 0; n < 60; n++) {
      const from = time.now();
      await time.pass(1);
      if (process.env.SIMLOG) {
        const { rows } = await time.db.query({
          text: 'select source_pace(s, now()) p, capacity, regain_seconds k, goodput g, answers a, refused r, usual_refused u, extract(epoch from now()-overloaded_at) o, pause_reason from sources s where id=$1',
          values: ['host:' + host],
        });
        const within = origin.requests.filter(({ at }) => at >= from);
        console.log(n, within.length, within.filter((r) => !r.served).length, JSON.stringify(rows[0]));
      }
    }
    const first = origin.between(start, time.now());
    origin.capacity = 20;
    const fell = time.now();
    await time.pass(60);
    const low = origin.between(fell, time.now());
    origin.capacity = 50;
    const rose = time.now();
    await time.pass(30);
    const back = time.now();
    await time.pass(30);
    const high = origin.between(back, time.now());
    let regained = 0;
    while (regained < 60 && origin.between(rose + regained * 1000, rose + (regained + 3) * 1000).used < 0.85)
      regained++;
    const all = origin.between(start, time.now(), (50 * 60 + 20 * 60 + 50 * 60) / 180);
    console.log(time.stats, performance.now());
    console.log(JSON.stringify(options), { first, low, high, regained, all, lost: lost() });
    expect(all.refused).toBeLessThan(0.05);
  }, 120_000);
});
