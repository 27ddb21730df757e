import { describe, expect, test } from 'vitest';
import { pauseSource, resumeSource } from '../sources/change-source.ts';
import { configureSource } from '../sources/configure-source.ts';
import { openSources } from '../sources/open-sources.ts';
import { type Reservation, reserveSlots } from './reserve-slots.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

const fixture = new GovernorFixture();

async function limited(rate_limit_per_minute: number): Promise<string> {
  const id = fixture.newHost();
  await configureSource(fixture.pool, id, { hosts: [id], rate_limit_per_minute });
  return id;
}

async function reserve(id: string, padMs = 0): Promise<Reservation> {
  const reservation = await reserveSlots(fixture.pool, id, padMs);
  if (!reservation) throw new Error('no reservation');
  return reservation;
}

const slotsOf = ({ first_ms, count, interval_ms }: Reservation) =>
  Array.from({ length: count }, (_, index) => first_ms + index * interval_ms);

describe('a reservation', () => {
  test('is a tenth of a second of the rate: at least one slot, at most fifty', async () => {
    for (const [limit, count] of [
      [6, 1],
      [120, 1],
      [3000, 4],
      [30_000, 49],
      [600_000, 50],
    ] as const) {
      expect((await reserve(await limited(limit))).count).toBe(count);
    }
  });

  test('never overlaps another, however many workers ask at once', async () => {
    const id = await limited(30_000);
    const all: Reservation[] = [];
    const worker = async () => {
      for (let asked = 0; asked < 25; asked++) all.push(await reserve(id));
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const slots = all.flatMap(slotsOf).sort((a, b) => a - b);
    expect(slots.length).toBeGreaterThan(200);
    const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan((all[0]?.interval_ms ?? 0) - 0.01);
  });

  test('reaches no more than a second ahead, and else says when the next slot is free', async () => {
    const id = await limited(3000);
    let last = await reserve(id);
    for (let asked = 0; asked < 50 && last.count > 0; asked++) {
      expect((slotsOf(last).at(-1) ?? 0) - last.now_ms).toBeLessThan(1000);
      last = await reserve(id);
    }
    expect(last.count).toBe(0);
    expect(last.first_ms - last.now_ms).toBeGreaterThan(850);
  });

  test('keeps free behind it what a worker does not know of the clock', async () => {
    const id = await limited(600);
    const first = await reserve(id, 70);
    const second = await reserve(id);
    expect(second.first_ms - first.first_ms).toBeCloseTo(first.count * first.interval_ms + 70, 1);
  });

  test('is to be had at once after a limit was raised, or the clock of the server was set back', async () => {
    const id = await limited(1);
    await reserve(id);
    expect(await reserve(id)).toMatchObject({ count: 0 });
    await configureSource(fixture.pool, id, { rate_limit_per_minute: 3000 });
    const raised = await reserve(id);
    expect(raised.first_ms - raised.now_ms).toBeLessThan(100);
    await fixture.pool.query(
      `UPDATE source_slots SET next_slot_at = now() + interval '10 min' WHERE source_id = $1`,
      [id],
    );
    expect(await reserve(id)).toMatchObject({ count: 4 });
  });

  test('is not to be had while the source is paused, or without a pace', async () => {
    const id = await limited(600);
    await pauseSource(fixture.pool, id, 60);
    expect(await reserve(id)).toMatchObject({ count: 0, pause_reason: 'operator' });
    await resumeSource(fixture.pool, id);
    expect(await reserve(id)).toMatchObject({ count: 1 });
    const [free] = await openSources(fixture.pool, [fixture.newHost()]);
    expect(await reserve(free?.source_id ?? '')).toMatchObject({ count: 0, interval_ms: 0 });
  });

  test('is committed asynchronously only if what a crash can undo fits into the spacing', async () => {
    const client = await fixture.pool.connect();
    try {
      for (const [limit, setting] of [
        [30, 'on'],
        [3000, 'off'],
      ] as const) {
        await client.query('BEGIN; SET LOCAL synchronous_commit = on');
        await reserveSlots(client, await limited(limit));
        const { rows } = await client.query('SHOW synchronous_commit');
        await client.query('ROLLBACK');
        expect(rows[0].synchronous_commit).toBe(setting);
      }
    } finally {
      client.release();
    }
  });
});
