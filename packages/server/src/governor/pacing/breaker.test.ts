import type { QueryConfig } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { Queryable } from '../../base/database/statement.ts';
import { pauseSource, resumeSource } from '../sources/change-source.ts';
import { listSources } from '../sources/list-sources.ts';
import { openSources } from '../sources/open-sources.ts';
import { claimProbe, settleProbe } from './probe-keeper.ts';
import { type OutcomeReport, reportOutcomes } from './report-outcomes.ts';
import { acquire, Crawler, ok, refused, request, tooMany } from './testing/crawler.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

const fixture = new GovernorFixture();
const status = (code: number) => ({ kind: 'http', status: code, latencyMs: 5 }) as const;

const isOpen = (host: string) =>
  vi.waitUntil(async () => (await fixture.sourceOf(host)).pause_reason === 'failures', { timeout: 3_000 });

/** A source whose breaker has opened, with a governor that saw it happen. */
async function failed() {
  const host = fixture.newHost();
  const run = fixture.newGovernor().openRun('a');
  for (let n = 0; n < 5; n++) await request(run, host, refused);
  await isOpen(host);
  return { host, run, id: `host:${host}` };
}

const report = (source_id: string, fields: Partial<OutcomeReport>): OutcomeReport => ({
  source_id,
  succeeded: false,
  failures: 0,
  failed_urls: 0,
  retry_after_ms: 0,
  page_retry_after_ms: 0,
  slower: 1,
  answers: 0,
  refused: 0,
  failed: 0,
  told_429: false,
  trouble: null,
  trouble_host: null,
  accepted: 0,
  span_seconds: 0,
  ...fields,
});

describe('five failures in a row of requests that are all alike', () => {
  test.each([
    ['connections', refused],
    ['timeouts', { kind: 'error', code: 'fetch_timed_out' } as const],
    ['server errors', status(500)],
    ['refusals', tooMany()],
    ['refusals for now', status(503)],
  ])('pause a source for five minutes: %s', async (_, outcome) => {
    const host = fixture.newHost();
    const run = fixture.newGovernor().openRun('a', { everyCounts: true });
    const permits = await Promise.all(Array.from({ length: 5 }, () => acquire(run, host)));
    for (const permit of permits) permit.done(outcome);
    expect(run.tryAcquire(host)).toMatchObject({ reason: 'paused' });
    await isOpen(host);
    const { failure_streak, paused_until } = await fixture.sourceOf(host);
    expect(failure_streak).toBe(5);
    expect(Math.abs(Number(paused_until) - Date.now() - 300_000)).toBeLessThan(5_000);
    expect(run.blockedUntil(host) - performance.now()).toBeGreaterThan(290_000);
  });

  test('count over all workers, and a success of any of them starts anew', async () => {
    const host = fixture.newHost();
    const runs = [fixture.newGovernor().openRun('a'), fixture.newGovernor().openRun('b')] as const;
    const streak = async (count: number) =>
      vi.waitUntil(async () => (await fixture.sourceOf(host)).failure_streak === count);
    for (const run of [runs[0], runs[1], runs[0], runs[1]]) await request(run, host, refused);
    await streak(4);
    await vi.waitUntil(() => request(runs[0], host).then(() => streak(0)));
    for (const run of [runs[1], runs[0], runs[1], runs[0]]) await request(run, host, refused);
    await streak(4);
    await request(runs[1], host, refused);
    await isOpen(host);
  });

  test('count also while the database has not answered to the first of them', async () => {
    const host = fixture.newHost();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = false;
    const query = async (config: QueryConfig) => {
      isAsked ||= config.name === 'report-outcomes';
      if (config.name === 'report-outcomes') await answered;
      return await fixture.pool.query(config);
    };
    const run = fixture.newGovernor({ db: { query } as Queryable }).openRun('a');
    await request(run, host, refused);
    await vi.waitUntil(() => isAsked);
    for (let n = 0; n < 4; n++) await request(run, host, refused);
    expect(run.tryAcquire(host)).toMatchObject({ reason: 'paused' });
    answer();
    await isOpen(host);
  });

  test('do not count answers that say nothing against the source', async () => {
    const host = fixture.newHost();
    const run = fixture.newGovernor().openRun('a');
    for (const code of [404, 403, 410, 400, 451, 404]) await request(run, host, status(code));
    for (let n = 0; n < 6; n++) await request(run, host, { kind: 'error', code: 'blocked_address' });
    await vi.waitUntil(async () => (await fixture.sourceOf(host)).last_success_at !== null);
    expect(await fixture.sourceOf(host)).toMatchObject({ failure_streak: 0, pause_reason: null });
  });
});

describe('the breaker of a crawled site', () => {
  const page = (code: number, again = false) => ({ ...status(code), again });
  const settled = (host: string, urls: number) =>
    vi.waitUntil(async () => (await fixture.sourceOf(host)).failed_urls === urls, { timeout: 5_000 });

  test('stays closed over pages that fail among others, and over their retries', async () => {
    const host = fixture.newHost();
    const run = fixture.newGovernor().openRun('a');
    for (let n = 0; n < 19; n++) await request(run, host, page(500));
    await settled(host, 19);
    // The same few URLs again: nothing new.
    for (let n = 0; n < 40; n++) await request(run, host, page(500, true));
    await request(run, host);
    await settled(host, 0);
    for (let n = 0; n < 19; n++) await request(run, host, page(500));
    await settled(host, 19);
    expect(await fixture.sourceOf(host)).toMatchObject({ pause_reason: null, breaker: 'closed' });
  });

  test('opens when twenty URLs in a row have failed, over all workers', async () => {
    const host = fixture.newHost();
    const runs = ['a', 'b'].map((name) => fixture.newGovernor().openRun(name));
    for (let n = 0; n < 10; n++) for (const run of runs) await request(run, host, page(500));
    await isOpen(host);
  });

  test('opens when five connections in a row fail, each of another URL', async () => {
    const host = fixture.newHost();
    const run = fixture.newGovernor().openRun('a');
    for (let n = 0; n < 4; n++) await request(run, host, refused);
    for (let n = 0; n < 9; n++) await request(run, host, { ...refused, again: true });
    await vi.waitUntil(async () => (await fixture.sourceOf(host)).failure_streak === 4);
    expect(await fixture.sourceOf(host)).toMatchObject({ pause_reason: null });
    await request(run, host, refused);
    expect(run.tryAcquire(host)).toMatchObject({ reason: 'paused' });
    await isOpen(host);
  });

  test('is not held open by a page that fails again: another page is the probe', async () => {
    const { host, id, run } = await failed();
    await fixture.passSeconds(id, 300);
    const first = await acquire(run, host);
    expect(first.isProbe).toBe(true);
    first.done(page(500, true));
    const second = await acquire(run, host);
    expect(second.isProbe).toBe(true);
    second.done(ok);
    await vi.waitUntil(async () => (await fixture.sourceOf(host)).pause_reason === null);
  });
});

describe('the breaker', () => {
  test('is open for a worker that starts later', async () => {
    const { host } = await failed();
    const late = fixture.newGovernor().openRun('b');
    late.tryAcquire(host);
    await vi.waitUntil(() => late.blockedUntil(host) > 0);
    expect(late.tryAcquire(host)).toMatchObject({ reason: 'paused' });
  });

  test('lets exactly one probe through over all workers, and closes when it succeeds', async () => {
    const { host, id, run } = await failed();
    const runs = [run, fixture.newGovernor().openRun('b'), fixture.newGovernor().openRun('c')];
    await fixture.passSeconds(id, 300);
    const granted: Awaited<ReturnType<typeof acquire>>[] = [];
    const waiting = runs.map(async (each) => granted.push(await acquire(each, host)));
    await vi.waitUntil(() => granted.length > 0, { timeout: 3_000 });
    // Long enough for every other worker to have asked for it, twice.
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(granted.map((permit) => permit.isProbe)).toEqual([true]);
    granted[0]?.done(ok);
    await Promise.all(waiting);
    expect(granted.filter((permit) => permit.isProbe)).toHaveLength(1);
    const source = await fixture.sourceOf(host);
    expect(source).toMatchObject({ failure_streak: 0, pause_reason: null, paused_until: null });
  });

  test('opens again when the probe fails', async () => {
    const { host, id, run } = await failed();
    await fixture.passSeconds(id, 300);
    await request(run, host, refused);
    await vi.waitUntil(async () => (await fixture.sourceOf(host)).failure_streak === 6);
    expect(Number((await fixture.sourceOf(host)).paused_until)).toBeGreaterThan(Date.now() + 290_000);
    expect(run.tryAcquire(host)).toMatchObject({ reason: 'paused' });
  });

  test('gives the probe of a dead worker, and one that was never sent, to another', async () => {
    const { host, id, run } = await failed();
    await fixture.passSeconds(id, 300);
    const dead = await acquire(run, host);
    await fixture.passSeconds(id, 60);
    const heir = fixture.newGovernor().openRun('b');
    const probe = await acquire(heir, host);
    expect(probe.isProbe).toBe(true);
    dead.done(ok);
    probe.cancel();
    await request(heir, host, ok);
    await vi.waitUntil(async () => (await fixture.sourceOf(host)).pause_reason === null);
  });

  test('is not moved by a probe that has lapsed and is another worker’s by now', async () => {
    const { host, id } = await failed();
    await fixture.passSeconds(id, 300);
    expect(await claimProbe(fixture.pool, id, 'slow', 60_000)).toMatchObject({ claimed: true });
    expect(await claimProbe(fixture.pool, id, 'next', 60_000)).toMatchObject({ claimed: false });
    await fixture.passSeconds(id, 61);
    expect(await claimProbe(fixture.pool, id, 'next', 60_000)).toMatchObject({ claimed: true });
    expect(await settleProbe(fixture.pool, id, 'slow', 'success', 300)).toBeUndefined();
    expect(await fixture.sourceOf(host)).toMatchObject({ pause_reason: 'failures' });
    expect(await settleProbe(fixture.pool, id, 'next', 'success', 300)).toMatchObject({ pause_reason: null });
  });

  test('pays no heed to late answers from before it opened', async () => {
    const host = fixture.newHost();
    const run = fixture.newGovernor().openRun('a');
    const slow = await Promise.all([acquire(run, host), acquire(run, host)]);
    for (let n = 0; n < 5; n++) await request(run, host, refused);
    await isOpen(host);
    slow[0]?.done(ok);
    slow[1]?.done(refused);
    await vi.waitUntil(async () => (await fixture.sourceOf(host)).last_success_at !== null);
    expect(await fixture.sourceOf(host)).toMatchObject({ failure_streak: 5, pause_reason: 'failures' });
    expect(run.tryAcquire(host)).toMatchObject({ reason: 'paused' });
  });

  test('is closed by an operator, at once and without a probe', async () => {
    const { host, id, run } = await failed();
    const crawler = new Crawler(run, host);
    await resumeSource(fixture.pool, id);
    await vi.waitUntil(() => crawler.starts.length > 10);
    crawler.stop();
    expect(await fixture.sourceOf(host)).toMatchObject({ failure_streak: 0, pause_reason: null });
  });

  test('blocks no other source', async () => {
    const { run } = await failed();
    const crawler = new Crawler(run, fixture.newHost());
    await vi.waitUntil(() => crawler.starts.length > 100);
    crawler.stop();
  });

  test('is listed among what is blocked', async () => {
    const { id } = await failed();
    const isListed = async () =>
      (await listSources(fixture.pool, { blocked: true, limit: 1000 })).some((source) => source.id === id);
    expect(await isListed()).toBe(true);
    await fixture.passSeconds(id, 300);
    expect(await isListed()).toBe(true);
    await resumeSource(fixture.pool, id);
    expect(await isListed()).toBe(false);
  });
});

describe('a report', () => {
  const newSource = async () => {
    const [source] = await openSources(fixture.pool, [fixture.newHost()]);
    return source?.source_id ?? '';
  };

  test('keeps the longer of two pauses, and the reason of an operator', async () => {
    const id = await newSource();
    await pauseSource(fixture.pool, id, 60);
    const [short] = await reportOutcomes(fixture.pool, [report(id, { failures: 1, retry_after_ms: 1_000 })]);
    expect(short).toMatchObject({ pause_reason: 'operator' });
    expect((short?.paused_until_ms ?? 0) - (short?.now_ms ?? 0)).toBeGreaterThan(50_000);
    const [streak] = await reportOutcomes(fixture.pool, [report(id, { failures: 9 })]);
    expect(streak).toMatchObject({ pause_reason: 'operator', failure_streak: 10 });
    await fixture.passSeconds(id, 61);
    const [opened] = await reportOutcomes(fixture.pool, [report(id, { failures: 1 })]);
    expect(opened).toMatchObject({ pause_reason: 'failures' });
  });

  test('of slow answers takes a part of the requests at a time away, never more than three quarters', async () => {
    const id = await newSource();
    const slow = async () => (await reportOutcomes(fixture.pool, [report(id, { slower: 1.25 })]))[0];
    expect((await slow())?.slowdown).toBeCloseTo(1.25, 1);
    expect((await slow())?.slowdown).toBeCloseTo(1.25, 1);
    for (let n = 0; n < 20; n++) {
      await fixture.passSeconds(id, 5.1);
      await slow();
    }
    await fixture.passSeconds(id, 5.1);
    const { slowdown = 0, concurrency, interval_ms } = (await slow()) ?? {};
    expect(slowdown).toBeLessThanOrEqual(4);
    expect(concurrency).toBeGreaterThanOrEqual(2);
    expect(interval_ms).toBe(0);
  });

  test('in which a success came before the failures starts the streak anew', async () => {
    const id = await newSource();
    await reportOutcomes(fixture.pool, [report(id, { failures: 4 })]);
    const [state] = await reportOutcomes(fixture.pool, [report(id, { succeeded: true, failures: 2 })]);
    expect(state).toMatchObject({ failure_streak: 2, pause_reason: null });
  });

  test('of many sources by many workers at once waits for nobody crosswise', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, newSource));
    const worker = (order: string[]) =>
      reportOutcomes(
        fixture.pool,
        order.map((id) => report(id, { failures: 1 })),
      );
    await Promise.all(Array.from({ length: 16 }, (_, n) => worker(n % 2 ? ids : ids.toReversed())));
    const sources = await listSources(fixture.pool, { limit: 1000 });
    for (const { id, failure_streak } of sources) {
      if (ids.includes(id)) expect(failure_streak).toBe(5); // opened by then: late ones do not count
    }
  });
});
