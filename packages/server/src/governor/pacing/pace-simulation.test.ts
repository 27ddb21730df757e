import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Governor } from './governor.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';
import { SimulatedCrawl } from './testing/simulated-crawl.ts';
import { type OriginOptions, SimulatedOrigin } from './testing/simulated-origin.ts';
import { VirtualTime } from './testing/virtual-time.ts';

/** Seconds of the machine's, for minutes of the simulation: each statement is a real one. */
const patienceMs = 240_000;

const fixture = new GovernorFixture();
const log = pino({ level: 'silent' });
let time: VirtualTime;
let closing: (() => Promise<void>)[] = [];
let crawls: SimulatedCrawl[] = [];

beforeEach(async () => {
  time = await VirtualTime.start(fixture.url);
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
  crawls = [];
  await time.close();
});

/** Two workers that crawl an origin, each with a governor of its own. */
function crawlWithTwo(capacity: number, options: Omit<OriginOptions, 'now'>): SimulatedOrigin {
  const host = fixture.newHost();
  const origin = new SimulatedOrigin(capacity, { ...options, now: time.now });
  for (const name of ['a', 'b']) {
    const governor = new Governor({ db: time.db, log, clock: time.now });
    const crawl = new SimulatedCrawl(governor.openRun(name), host, origin);
    crawls.push(crawl);
    closing.push(async () => {
      crawl.stop();
      await governor.close();
    });
  }
  return origin;
}

/** How the origin fared in the next so many seconds. */
async function during(seconds: number, origin: SimulatedOrigin) {
  const from = time.now();
  await time.pass(seconds);
  return { from, ...origin.between(from, time.now()) };
}

/** Seconds until three of them in a row used most of the capacity. */
function secondsUntilUsed(origin: SimulatedOrigin, from: number): number {
  for (let second = 0; second < 60; second++) {
    const begin = from + second * 1000;
    if (origin.between(begin, begin + 3_000).used > 0.85) return second;
  }
  return 60;
}

const kinds: Omit<OriginOptions, 'now'>[] = [
  { limiter: 'window', status: 429 },
  { limiter: 'bucket', status: 503 },
  { limiter: 'window', status: 429, retryAfterSeconds: 1 },
  { limiter: 'bucket', status: 503, retryAfterSeconds: 1, flawed: 0.02 },
];

describe.each(kinds)('an origin that takes 50 requests a second: %j', (options) => {
  test(
    'is used by two workers and seldom overloaded, also when it takes 20 for a while',
    async () => {
      const origin = crawlWithTwo(50, options);
      const high = await during(40, origin);
      expect(high.used).toBeGreaterThan(0.7);
      origin.capacity = 20;
      const low = await during(40, origin);
      expect(low.used).toBeGreaterThan(0.7);
      origin.capacity = 50;
      const back = await during(45, origin);
      expect(secondsUntilUsed(origin, back.from)).toBeLessThanOrEqual(27);
      expect(origin.between(high.from, time.now()).refused).toBeLessThan(0.05);
      expect(crawls.map(({ lost }) => lost)).toEqual([0, 0]);
    },
    patienceMs,
  );
});

describe('an origin that takes whatever it gets', () => {
  const latencyMs = 100;
  /** Eight at a time. */
  const most = 80;

  test(
    'is not slowed down by pages that answer 503 once',
    async () => {
      const origin = crawlWithTwo(1_000, { limiter: 'window', status: 503, flawed: 0.03, latencyMs });
      await time.pass(30);
      expect(origin.requests.length).toBeGreaterThan(0.9 * most * 30);
    },
    patienceMs,
  );

  test(
    'is taken as quickly as ever when slowing down changes nothing',
    async () => {
      const origin = crawlWithTwo(1_000, { limiter: 'window', status: 503, flawed: 0.15, latencyMs });
      await time.pass(50);
      const { length } = origin.requests;
      await time.pass(10);
      expect(origin.requests.length - length).toBeGreaterThan(0.7 * most * 10);
    },
    patienceMs,
  );
});
