import { describe, expect, test } from 'vitest';
import { configureSource } from '../sources/configure-source.ts';
import { openSources } from '../sources/open-sources.ts';
import { releaseShares, renewShares } from './source-shares.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

const fixture = new GovernorFixture();
const ttlMs = 10_000;

async function newSource(concurrency: number): Promise<string> {
  const id = fixture.newHost();
  await configureSource(fixture.pool, id, { hosts: [id], concurrency });
  return id;
}

/** Renews as a run does that has its whole share under way, or nothing. */
async function renew(run: string, sourceId: string, kept = 0, ttl = ttlMs) {
  const [share] = await renewShares(fixture.pool, run, [{ sourceId, kept }], ttl);
  if (!share) throw new Error('no share');
  return share;
}

const sumOfShares = async (sourceId: string): Promise<number> => {
  const { rows } = await fixture.pool.query(
    `SELECT coalesce(sum((value ->> 'share')::integer), 0) AS sum FROM source_shares, jsonb_each(runs)
     WHERE source_id = $1 AND (value ->> 'until')::float8 > epoch_ms(clock_timestamp())`,
    [sourceId],
  );
  return rows[0].sum;
};

describe('the concurrency of a source', () => {
  test('is all for the only run', async () => {
    expect(await renew('a', await newSource(8))).toMatchObject({ share: 8, target: 8, runs: 1 });
  });

  test('is divided fairly when a second run has come, and whole again when it has gone', async () => {
    const id = await newSource(9);
    await renew('a', id);
    expect(await renew('b', id)).toMatchObject({ share: 0, target: 4 });
    expect(await renew('a', id, 9)).toMatchObject({ share: 5 });
    expect(await renew('b', id)).toMatchObject({ share: 0, target: 4 });
    await renew('a', id, 5);
    expect(await renew('b', id)).toMatchObject({ share: 4, target: 4, runs: 2 });
    await releaseShares(fixture.pool, 'b', [id]);
    expect(await renew('a', id, 5)).toMatchObject({ share: 9, runs: 1 });
  });

  test('comes back from a dead run when its share has expired by the clock of the database', async () => {
    const id = await newSource(4);
    await renew('dead', id);
    const [first] = await renewShares(fixture.pool, 'heir', [{ sourceId: id, kept: 0 }], ttlMs);
    expect(first).toMatchObject({ share: 0 });
    await fixture.pool.query(
      `UPDATE source_shares SET runs = jsonb_set(runs, '{dead,until}', '0') WHERE source_id = $1`,
      [id],
    );
    expect(await renew('heir', id)).toMatchObject({ share: 4, runs: 1 });
  });

  test('goes round in turns when there are more runs than it can bear', async () => {
    const id = await newSource(2);
    const shares = new Map(['a', 'b', 'c', 'd', 'e'].map((run) => [run, 0]));
    const served = new Set<string>();
    while (served.size < 5) {
      for (const [run, kept] of shares) {
        const [renewed] = await renewShares(fixture.pool, run, [{ sourceId: id, kept }], ttlMs, 0.05);
        shares.set(run, renewed?.share ?? 0);
        if (shares.get(run)) served.add(run);
      }
      expect(await sumOfShares(id)).toBeLessThanOrEqual(2);
    }
  });

  test('is never exceeded by the sum of live shares, whatever runs do at the same time', async () => {
    const ids = await Promise.all([1, 3, 8].map(newSource));
    const concurrency = new Map(ids.map((id, index) => [id, [1, 3, 8][index] ?? 0]));
    const excess: number[] = [];
    let finished = false;
    const watch = (async () => {
      while (!finished) {
        for (const id of ids) excess.push((await sumOfShares(id)) - (concurrency.get(id) ?? 0));
      }
    })();
    const live = async (run: string) => {
      const shares = new Map(ids.map((id) => [id, 0]));
      for (let step = 0; step < 60; step++) {
        const asked = ids.filter(() => Math.random() < 0.7);
        const seats = asked.map((sourceId) => ({ sourceId, kept: shares.get(sourceId) ?? 0 }));
        for (const row of await renewShares(fixture.pool, run, seats, ttlMs)) {
          shares.set(row.source_id, row.share);
        }
        if (Math.random() < 0.1) {
          await releaseShares(fixture.pool, run, ids);
          for (const id of ids) shares.set(id, 0);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, run) => live(`run-${run}`)));
    finished = true;
    await watch;
    expect(excess.length).toBeGreaterThan(20);
    expect(Math.max(...excess)).toBe(0);
  });

  test('counts what is still under way after the share has shrunk', async () => {
    const id = await newSource(8);
    await renew('a', id);
    await renew('b', id);
    expect(await renew('a', id, 8)).toMatchObject({ share: 4 });
    expect(await sumOfShares(id)).toBe(8);
    expect(await renew('b', id)).toMatchObject({ share: 0 });
  });
});

test('a source that does not exist has no shares', async () => {
  expect(await renewShares(fixture.pool, 'a', [{ sourceId: 'nowhere', kept: 0 }], ttlMs)).toEqual([]);
  expect(await openSources(fixture.pool, [])).toEqual([]);
});
