import type { SourceSettings } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { GovernorFixture } from '../pacing/testing/governor-fixture.ts';
import { configureSource } from './configure-source.ts';
import { openSources } from './open-sources.ts';
import { recordCrawlDelay, type SourceState } from './source-state.ts';

const fixture = new GovernorFixture();

async function stateOf(settings: SourceSettings, sql = ''): Promise<SourceState> {
  const host = fixture.newHost();
  await configureSource(fixture.pool, host, { hosts: [host], ...settings });
  if (sql) await fixture.pool.query(`UPDATE sources SET ${sql} WHERE id = $1`, [host]);
  const [state] = await openSources(fixture.pool, [host]);
  if (!state) throw new Error('no state');
  return state;
}

describe('the pace of a source', () => {
  test('keeps every limit in every window of a minute, late slots and a crash of the server included', async () => {
    for (const limit of [1, 2, 5, 10, 19, 20, 21, 59, 60, 120, 600, 3000, 60_000, 600_000]) {
      const { interval_ms, tolerance_ms } = await stateOf({ rate_limit_per_minute: limit });
      const undoneMs = interval_ms < 1000 ? 600 : 0;
      expect(Math.ceil((60_000 + tolerance_ms + undoneMs) / interval_ms - 1e-6)).toBeLessThanOrEqual(limit);
      expect(60_000 / interval_ms).toBeGreaterThan(0.93 * limit);
      expect(tolerance_ms).toBeGreaterThanOrEqual(Math.min(interval_ms, 100));
    }
  });

  test('keeps a delay even between a late slot and the next one', async () => {
    for (const min_delay_ms of [1, 10, 100, 1000, 60_000]) {
      const { interval_ms, tolerance_ms } = await stateOf({ min_delay_ms });
      expect(interval_ms - tolerance_ms).toBeGreaterThanOrEqual(min_delay_ms - 1e-6);
      expect(tolerance_ms).toBeGreaterThan(0);
      expect(interval_ms).toBeLessThanOrEqual(Math.max(2 * min_delay_ms, 0));
    }
  });

  test('is the slower one of limit, delay and Crawl-delay', async () => {
    const limited = { rate_limit_per_minute: 60, min_delay_ms: 100 };
    expect(await stateOf(limited)).toMatchObject({ paced_by: 'rate' });
    const delayed = await stateOf(limited, 'crawl_delay_ms = 5000');
    expect(delayed).toMatchObject({ paced_by: 'delay', interval_ms: 5250, tolerance_ms: 250 });
    expect((await stateOf(limited, 'crawl_delay_ms = 50')).interval_ms).toBeCloseTo(60_720 / 59);
  });

  test('takes a Crawl-delay for no more than a minute, and forgets it when robots.txt does', async () => {
    const { source_id } = await stateOf({});
    expect(await recordCrawlDelay(fixture.pool, source_id, 86_400)).toMatchObject({ interval_ms: 63_000 });
    expect(await recordCrawlDelay(fixture.pool, source_id, 0.5)).toMatchObject({ interval_ms: 525 });
    expect(await recordCrawlDelay(fixture.pool, source_id, null)).toMatchObject({ interval_ms: 0 });
  });

  test('of a source with many hosts follows the one that asks for the longest delay', async () => {
    const { source_id } = await stateOf({});
    await configureSource(fixture.pool, source_id, { hosts: ['*.many.test'] });
    await recordCrawlDelay(fixture.pool, source_id, 2);
    expect(await recordCrawlDelay(fixture.pool, source_id, 1)).toMatchObject({ interval_ms: 2100 });
  });

  test('is none for a source without limits', async () => {
    expect(await stateOf({})).toMatchObject({ interval_ms: 0, concurrency: 8, paused_until_ms: 0 });
  });
});

describe('a source whose answers take longer', () => {
  test('gets fewer requests at a time, no longer waits, and halves its way back', async () => {
    const slowed = (seconds: number) => `slowdown = 4, slowed_at = now() - interval '${seconds} s'`;
    const settings = { rate_limit_per_minute: 600, concurrency: 16 };
    const plain = await stateOf(settings);
    const now = await stateOf(settings, slowed(0));
    expect(now).toMatchObject({ concurrency: 4, interval_ms: plain.interval_ms });
    expect((await stateOf(settings, slowed(30))).slowdown).toBeCloseTo(2.5, 1);
    expect(await stateOf(settings, slowed(300))).toMatchObject({ ...plain, ...unchanging });
  });
});

describe('the pace of a source that was overloaded', () => {
  const paced = async (seconds: number) =>
    (await stateOf({}, `capacity = 50, regain_seconds = 10, overloaded_at = now() - interval '${seconds} s'`))
      .pace_per_minute;

  test('comes back to what it took, stays there, then looks for more, and is gone in the end', async () => {
    expect(await paced(0)).toBeCloseTo(0.92 * 50 * 60, -1);
    expect(await paced(10)).toBeCloseTo(50 * 60, -1);
    for (const seconds of [6, 8, 12, 14])
      expect(Math.abs(((await paced(seconds)) ?? 0) - 3000)).toBeLessThan(60);
    expect(await paced(30)).toBeGreaterThan(2 * 50 * 60);
    expect(await paced(60)).toBeNull();
  });
});

const unchanging = { source_id: expect.any(String), now_ms: expect.any(Number), host: expect.any(String) };
