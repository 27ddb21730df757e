import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import {
  type Fetcher,
  type FetchResponse,
  type RequestLease,
  RequestNotSent,
} from '../../web/fetch/fetcher.ts';
import type { GovernedRun } from '../pacing/governed-run.ts';
import { storeRobots } from './robots-cache.ts';
import { RobotsGate } from './robots-gate.ts';

const origin = 'https://shop.test';
const page = `${origin}/page`;
const dayMs = 86_400_000;
const open = 'User-agent: *\nDisallow: /private';
const closed = 'User-agent: *\nDisallow: /\nCrawl-delay: 7';

/** A governor of one host: with a number of slots, or without a limit. */
class TestGovernor {
  slots = Number.POSITIVE_INFINITY;
  cancelled = 0;
  ended: unknown[] = [];
  readonly crawlDelays: (number | null)[] = [];
  readonly #onReady = new Set<(host: string) => void>();
  #onRefused = () => {};

  tryAcquire() {
    if (this.slots < 1) {
      this.#onRefused();
      return { waitUntil: performance.now() + 60_000, reason: 'rate' };
    }
    this.slots--;
    return {
      done: (outcome: unknown) => this.ended.push(outcome),
      cancel: () => {
        this.cancelled++;
        this.slots++;
      },
    };
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
let run: AbortController;
let leaseEnds: number;
let lease: RequestLease;
let onLook: () => void;
let now: number;
let asked: number;
/** Names that can be resolved now. */
let resolvable: Set<string>;
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
  run = new AbortController();
  leaseEnds = Number.POSITIVE_INFINITY;
  resolvable = new Set(['other.test']);
  onLook = () => {};
  lease = leaseOf(run.signal);
  governor = new TestGovernor();
  let tell = () => {};
  loaded = () =>
    new Promise<void>((resolve) => {
      tell = resolve;
    });
  const fetch: Fetcher['fetch'] = async ({ url, mayAsk, signal }) => {
    if (mayAsk?.() === false) throw new RequestNotSent();
    asked++;
    const cut = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const { status, text } = await Promise.race([answer(), cut]);
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
    resolve: async (hostname) => {
      if (!resolvable.has(hostname)) throw new Error(`ENOTFOUND ${hostname}`);
      return [{ address: '192.0.2.1', family: 4 }];
    },
  });
});

const leaseOf = (signal: AbortSignal): RequestLease => ({
  leaseEnds: () => {
    onLook();
    return leaseEnds;
  },
  signal,
});

const says = (text: string, status = 200) => {
  answer = async () => ({ status, text });
};

/** Asks for the page, and waits until the rules that this brings are there. */
async function load(): Promise<void> {
  const coming = loaded();
  gate.verdict(page, lease);
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
    expect([gate.verdict(page, lease), gate.verdict(`${origin}/private`, lease)]).toEqual([
      'allowed',
      'disallowed',
    ]);
    expect(asked).toBe(1);
  });

  test('are those that the site has now, once the old ones have expired', async () => {
    await knowExpired();
    says(closed);
    await load();
    expect(gate.verdict(page, lease)).toBe('disallowed');
    expect(governor.crawlDelays).toEqual([null, 7]);
    expect(asked).toBe(2);
  });

  test('are taken from the database when another worker has brought the new ones', async () => {
    await knowExpired();
    const rules = { groups: [{ agents: ['*'], allow: [], disallow: ['/'] }], crawlDelays: [], sitemaps: [] };
    await storeRobots(database.pool, { origin, outcome: 'parse', rules, ttlSeconds: 3_600 });
    await load();
    expect(gate.verdict(page, lease)).toBe('disallowed');
    expect(asked).toBe(1);
    // As long as the database keeps them, and not for another day.
    now += 3_600_000;
    await database.pool.query('TRUNCATE robots_cache');
    says(open);
    await load();
    expect(gate.verdict(page, lease)).toBe('allowed');
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
    expect(gate.verdict(page, lease)).toBe('allowed');
    await requested;
    expect([gate.verdict(page, lease), gate.verdict(`${origin}/private`, lease)]).toEqual([
      'allowed',
      'disallowed',
    ]);
    respond();
    await coming;
    expect(gate.verdict(page, lease)).toBe('disallowed');
    expect(asked).toBe(2);
  });

  test.each([429, 500, 503])(
    'hold on when it is answered with %i, and are asked for again in minutes',
    async (status) => {
      await knowExpired();
      says('', status);
      await load();
      expect([gate.verdict(page, lease), gate.verdict(`${origin}/private`, lease)]).toEqual([
        'allowed',
        'disallowed',
      ]);
      now += 300_000;
      await database.pool.query(`UPDATE robots_cache SET expires_at = now() - interval '1 s'`);
      says(closed);
      await load();
      expect(gate.verdict(page, lease)).toBe('disallowed');
    },
  );

  test('give way to a refusal when they were read 30 days ago, until that expires', async () => {
    await knowExpired();
    await database.pool.query(`UPDATE robots_cache SET fetched_at = fetched_at - interval '30 days'`);
    says('', 503);
    await load();
    expect(gate.verdict(page, lease)).toBeCloseTo(now + 300_000, -4);
    now += 300_000;
    await database.pool.query('TRUNCATE robots_cache');
    expect(gate.verdict(page, lease)).toBeLessThanOrEqual(now);
    says(open);
    await load();
    expect(gate.verdict(page, lease)).toBe('allowed');
  });

  test('come also where a page would take every slot there is', async () => {
    await knowExpired();
    says(closed);
    governor.slots = 0;
    let pages = 0;
    governor.onReady(() => {
      if (gate.verdict(page, lease) === 'allowed' && !('waitUntil' in governor.tryAcquire())) pages++;
    });
    const refused = governor.refused();
    const coming = loaded();
    gate.verdict(page, lease);
    await refused;
    governor.offer();
    expect(pages).toBe(0);
    await coming;
    expect(gate.verdict(page, lease)).toBe('disallowed');
  });
});

describe('a request for robots.txt', () => {
  test('is not made when the lease ended while it waited for the governor', async () => {
    says(open);
    governor.slots = 0;
    const refused = governor.refused();
    gate.verdict(page, lease);
    await refused;
    const looked = new Promise<void>((resolve) => {
      leaseEnds = 0;
      onLook = resolve;
    });
    governor.offer();
    await looked;
    await setImmediate();
    expect([asked, governor.slots]).toEqual([0, 1]);
    // When it is renewed, whoever asks begins anew.
    leaseEnds = Number.POSITIVE_INFINITY;
    await load();
    expect([asked, governor.slots]).toEqual([1, 0]);
  });

  test('is not made when the run ended while it waited for the governor', async () => {
    says(open);
    governor.slots = 0;
    const refused = governor.refused();
    gate.verdict(page, lease);
    await refused;
    run.abort();
    governor.offer();
    await setImmediate();
    expect([asked, governor.slots]).toEqual([0, 1]);
    lease = leaseOf(new AbortController().signal);
    await load();
    expect([asked, governor.slots]).toEqual([1, 0]);
  });

  test('is cut off when the last run that waits for it has ended', async () => {
    const requested = new Promise<void>((resolve) => {
      answer = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const other = new AbortController();
    gate.verdict(page, lease);
    gate.verdict(page, leaseOf(other.signal));
    await requested;
    run.abort();
    expect(governor.ended).toEqual([]);
    other.abort();
    await vi.waitUntil(() => governor.ended.length > 0);
    expect(governor.ended).toEqual([{ kind: 'error', code: 'aborted' }]);
    expect(gate.verdict(page, lease)).toBe(Number.POSITIVE_INFINITY);
    expect(asked).toBe(1);
  });
});

describe('a failure of the origin itself', () => {
  const failsWith = (code: ErrorCode, detail?: string) => {
    answer = () => Promise.reject(new HoldfastError(code, detail));
  };

  test.each<ErrorCode>([
    'tls_failed',
    'address_forbidden',
    'dns_failed',
    'connection_failed',
    'fetch_timed_out',
    'response_invalid',
  ])('%s leaves the rules that were read last, and is followed by another look in minutes', async (code) => {
    await knowExpired();
    failsWith(code);
    await load();
    expect([gate.verdict(page, lease), gate.verdict(`${origin}/private`, lease)]).toEqual([
      'allowed',
      'disallowed',
    ]);
    expect(gate.failureOf(page)).toBeUndefined();
    now += 300_000;
    await database.pool.query(`UPDATE robots_cache SET expires_at = now() - interval '1 s'`);
    says(closed);
    await load();
    expect(gate.verdict(page, lease)).toBe('disallowed');
    expect(asked).toBe(3);
  });

  /** Asks again when it may, and says how long its pages were told to wait. */
  async function fail(): Promise<number> {
    await load();
    const verdict = gate.verdict(page, lease);
    if (typeof verdict !== 'number') throw new Error(`no wait: ${verdict}`);
    const waited = verdict - now;
    now = verdict;
    gate.verdict(page, lease);
    return waited;
  }
  const knowOther = async () => {
    says(open);
    const coming = loaded();
    gate.verdict('https://other.test/', lease);
    await coming;
  };

  test('of an address that somebody may yet allow keeps its pages waiting', async () => {
    failsWith('address_forbidden');
    await load();
    expect(gate.verdict(page, lease)).toBe(now + 300_000);
  });

  test.each<ErrorCode>(['tls_failed', 'dns_failed'])(
    '%s is what its pages fail with when two more looks met it as well',
    async (code) => {
      await knowOther();
      await knowExpired();
      await database.pool.query(`UPDATE robots_cache SET fetched_at = fetched_at - interval '30 days'`);
      failsWith(code);
      expect([await fail(), await fail()]).toEqual([1_000, 8_000]);
      await load();
      expect(gate.verdict(page, lease)).toMatchObject({ code });
      expect([gate.failureOf(page)?.code, gate.lastFailure?.code]).toEqual([code, code]);
      // In minutes it is looked at again.
      now += 300_000;
      gate.verdict(page, lease);
      says(open);
      await load();
      expect(gate.verdict(page, lease)).toBe('allowed');
    },
  );

  test('that passes is no reason to give its pages up', async () => {
    failsWith('dns_failed', 'EAI_AGAIN');
    await fail();
    says(open);
    await load();
    expect(gate.verdict(page, lease)).toBe('allowed');
  });

  test('is told sooner where a crawl begins', async () => {
    gate.askAgain(origin);
    failsWith('dns_failed', 'ENOTFOUND');
    expect([await fail(), await fail()]).toEqual([500, 1_000]);
  });

  test('of a name does not write its pages off while no other name can be resolved', async () => {
    await knowOther();
    resolvable.clear();
    failsWith('dns_failed', 'ENOTFOUND');
    await fail();
    await fail();
    await load();
    expect(gate.verdict(page, lease)).toBe(now + 300_000);
  });

  test('that hangs on settings of this worker is not for others to go by', async () => {
    failsWith('tls_failed', 'CERT_HAS_EXPIRED');
    await load();
    expect(gate.failureOf(page)).toMatchObject({ code: 'tls_failed', detail: 'CERT_HAS_EXPIRED' });
    expect((await database.pool.query('SELECT * FROM robots_cache')).rows).toEqual([]);
  });

  test.each(['http://10.0.0.1', 'http://[::1]:8080', 'http://wiki.corp'])(
    'that its own name is forbidden, as of %s, is what its pages are told',
    async (forbidden) => {
      failsWith('address_forbidden');
      const coming = loaded();
      gate.verdict(`${forbidden}/page`, lease);
      await coming;
      const failure = { code: 'address_forbidden', detail: forbidden };
      expect(gate.verdict(`${forbidden}/page`, lease)).toMatchObject(failure);
    },
  );

  test('does not hide from a crawl that another origin may come back', async () => {
    failsWith('dns_failed', 'ENOTFOUND');
    await load();
    failsWith('tls_failed', 'CERT_HAS_EXPIRED');
    const coming = loaded();
    gate.verdict('https://other.test/', lease);
    await coming;
    expect(gate.failureOf('https://other.test/')?.code).toBe('tls_failed');
    expect(gate.lastFailure?.code).toBe('dns_failed');
  });

  test('is not for other workers to go by, but that the site does not answer is', async () => {
    failsWith('dns_failed', 'ENOTFOUND');
    await load();
    expect(gate.failureOf(page)).toMatchObject({ code: 'dns_failed', detail: 'shop.test: ENOTFOUND' });
    expect((await database.pool.query('SELECT * FROM robots_cache')).rows).toEqual([]);
    now += 1_000;
    gate.verdict(page, lease);
    failsWith('connection_failed', 'ECONNREFUSED');
    await load();
    now += 300_000;
    gate.verdict(page, lease);
    await load();
    expect(gate.failureOf(page)?.code).toBe('robots_unreachable');
    expect(asked).toBe(2);
  });
});

describe('a failure that was met before', () => {
  const met = async () => {
    says('', 503);
    await load();
    expect(gate.verdict(page, lease)).toBe(now + 300_000);
    says(open);
  };

  test('is forgotten for whoever began after it, once', async () => {
    await met();
    expect(gate.forgetFailure(page, now)).toBe(false);
    expect(gate.forgetFailure(page, now + 1)).toBe(true);
    await load();
    expect(gate.verdict(page, lease)).toBe('allowed');
    expect(gate.forgetFailure(page, now + 2)).toBe(false);
  });

  test('by another run does not keep one that asks anew from asking', async () => {
    await database.pool.query(
      `INSERT INTO robots_cache (origin, outcome, rules, expires_at)
       VALUES ($1, 'disallow_all', '{"groups": [], "sitemaps": [], "failureCode": "robots_unreachable"}', now() + interval '5 min')`,
      [origin],
    );
    gate.askAnew();
    says(open);
    await load();
    expect(gate.verdict(page, lease)).toBe('allowed');
  });
});
