import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../test/database-fixture/create-test-database.ts';
import type { Fetcher, FetchResponse } from '../fetch/fetcher.ts';
import type { GovernedRun } from '../sources/governor.ts';
import { storeRobots } from '../sources/store-robots.ts';
import { RobotsGate } from './robots-gate.ts';

const origin = 'https://shop.test';
const page = `${origin}/page`;
const dayMs = 86_400_000;
const open = 'User-agent: *\nDisallow: /private';
const closed = 'User-agent: *\nDisallow: /\nCrawl-delay: 7';

/** A governor of one host: with a number of slots, or without a limit. */
class TestGovernor {
  slots = Number.POSITIVE_INFINITY;
  readonly crawlDelays: (number | null)[] = [];
  readonly #onReady = new Set<(host: string) => void>();
  #onRefused = () => {};

  tryAcquire() {
    if (this.slots < 1) {
      this.#onRefused();
      return { waitUntil: performance.now() + 60_000, reason: 'rate' };
    }
    this.slots--;
    return { done: () => {}, cancel: () => {} };
  }

  onReady(callback: (host: string) => void) {
    this.#onReady.add(callback);
    return () => this.#onReady.delete(callback);
  }

  async recordCrawlDelay(_host: string, seconds: number | null) {
    this.crawlDelays.push(seconds);
  }

  refused(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRefused = resolve;
    });
  }

  /** Makes room for one request, and says so. */
  offer(): void {
    this.slots++;
    for (const callback of [...this.#onReady]) callback('shop.test');
  }
}

let database: TestDatabase;
let governor: TestGovernor;
let gate: RobotsGate;
let now: number;
let asked: number;
/** What the site answers to the next request. */
let answer: () => Promise<{ status: number; text: string }>;
let loaded: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE robots_cache');
  now = 1_000;
  asked = 0;
  governor = new TestGovernor();
  let tell = () => {};
  loaded = () =>
    new Promise<void>((resolve) => {
      tell = resolve;
    });
  const fetch: Fetcher['fetch'] = async ({ url }) => {
    asked++;
    const { status, text } = await answer();
    return { url, status, body: Buffer.from(text) } as FetchResponse;
  };
  gate = new RobotsGate({
    db: database.pool,
    log: pino({ level: 'silent' }),
    fetcher: { fetch, close: async () => {} },
    governor: governor as unknown as GovernedRun,
    userAgent: 'holdfast',
    signal: new AbortController().signal,
    onLoaded: () => tell(),
    now: () => now,
  });
});

const says = (text: string, status = 200) => {
  answer = async () => ({ status, text });
};

/** Asks for the page, and waits until the rules that this brings are there. */
async function load(): Promise<void> {
  const coming = loaded();
  gate.verdict(page);
  await coming;
}

/** A day later the rules have expired, here and in the database. */
async function passDay(): Promise<void> {
  now += dayMs;
  await database.pool.query(`UPDATE robots_cache SET expires_at = now() - interval '1 s'`);
}

/** The rules of today allow the page, and have expired. */
async function knowExpired(): Promise<void> {
  says(open);
  await load();
  await passDay();
}

describe('the rules of an origin', () => {
  test('are not asked for again before they expire', async () => {
    says(open);
    await load();
    now += dayMs - 1;
    expect([gate.verdict(page), gate.verdict(`${origin}/private`)]).toEqual(['allowed', 'disallowed']);
    expect(asked).toBe(1);
  });

  test('are those that the site has now, once the old ones have expired', async () => {
    await knowExpired();
    says(closed);
    await load();
    expect(gate.verdict(page)).toBe('disallowed');
    expect(governor.crawlDelays).toEqual([null, 7]);
    expect(asked).toBe(2);
  });

  test('are taken from the database when another worker has brought the new ones', async () => {
    await knowExpired();
    const rules = { groups: [{ agents: ['*'], allow: [], disallow: ['/'] }], crawlDelays: [], sitemaps: [] };
    await storeRobots(database.pool, { origin, outcome: 'parse', rules, ttlSeconds: 3_600 });
    await load();
    expect(gate.verdict(page)).toBe('disallowed');
    expect(asked).toBe(1);
    // As long as the database keeps them, and not for another day.
    now += 3_600_000;
    await database.pool.query('TRUNCATE robots_cache');
    says(open);
    await load();
    expect(gate.verdict(page)).toBe('allowed');
  });

  test('hold while the new ones are on their way, which are asked for once', async () => {
    await knowExpired();
    let respond = () => {};
    const requested = new Promise<void>((resolve) => {
      answer = () => {
        resolve();
        return new Promise((done) => {
          respond = () => done({ status: 200, text: closed });
        });
      };
    });
    const coming = loaded();
    expect(gate.verdict(page)).toBe('allowed');
    await requested;
    expect([gate.verdict(page), gate.verdict(`${origin}/private`)]).toEqual(['allowed', 'disallowed']);
    respond();
    await coming;
    expect(gate.verdict(page)).toBe('disallowed');
    expect(asked).toBe(2);
  });

  test('give way to a refusal when robots.txt cannot be had any more, until that expires', async () => {
    await knowExpired();
    says('', 503);
    await load();
    expect(gate.verdict(page)).toBe(now + 300_000);
    now += 300_000;
    await database.pool.query('TRUNCATE robots_cache');
    expect(gate.verdict(page)).toBe(now);
    says(open);
    await load();
    expect(gate.verdict(page)).toBe('allowed');
  });

  test('come also where a page would take every slot there is', async () => {
    await knowExpired();
    says(closed);
    governor.slots = 0;
    let pages = 0;
    governor.onReady(() => {
      if (gate.verdict(page) === 'allowed' && !('waitUntil' in governor.tryAcquire())) pages++;
    });
    const refused = governor.refused();
    const coming = loaded();
    gate.verdict(page);
    await refused;
    governor.offer();
    expect(pages).toBe(0);
    await coming;
    expect(gate.verdict(page)).toBe('disallowed');
  });
});
