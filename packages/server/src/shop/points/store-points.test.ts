import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../../../../test/database-fixture/create-test-database.ts';
import { inTransaction } from '../../base/database/statement.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { storeCollection } from '../collect/collector.ts';
import { addIntake, emptyCollection, enqueue, openCollection } from '../collect/testing/collect-fixture.ts';
import { findPriceDuplicates } from '../collect/testing/find-price-duplicates.ts';
import { lockIntake } from '../intakes/find-intakes.ts';
import { valueDueIntakes } from '../valuations/value-intake.ts';
import { type Listing, type PricePoint, pricePoint } from './price-point.ts';
import { storePoints } from './store-points.ts';

let database: TestDatabase;
let intakeId: string;
beforeAll(async () => {
  database = await openCollection();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await emptyCollection(database);
  await configureSource(database.pool, 'shop', {
    adapter_type: 'json',
    config: { url: 'https://shop.example/', fields: { price: 'p' } },
    reputation_weight: 1,
  });
  intakeId = await addIntake(database);
});

const listing: Listing = {
  price: '5',
  currency: 'USD',
  priceType: 'sold',
  title: 'Morgan Dollar 1881-S',
  url: null,
  externalId: null,
  date: '2024-05-01T00:00:00.000Z',
  attributes: null,
  raw: null,
};
const item = { title: 'x', attributes: {}, must_agree: null };
const observedAt = new Date('2024-06-01T00:00:00Z');
const point = (externalId: string, strength: string, price = '5'): PricePoint =>
  pricePoint(item, { ...listing, externalId, price }, observedAt, strength);
const origin = () => ({ intakeId, sourceId: 'shop', jobId: null, actor: 'user:test', observedAt });

async function stored(): Promise<Record<string, string>> {
  const { rows } = await database.pool.query('SELECT dedupe_key, match_strength::text FROM price_points');
  return Object.fromEntries(rows.map(({ dedupe_key, match_strength }) => [dedupe_key, match_strength]));
}

const points = fc.array(
  fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), strength: fc.integer({ min: 0, max: 1000 }) }),
  { minLength: 1, maxLength: 12 },
);
const strengthText = (thousandths: number) => (thousandths / 1000).toFixed(3);

/** What must be there in the end, whatever the order: each listing once, as strong as its strongest. */
function strongest(all: readonly { id: string; strength: number }[]): Record<string, string> {
  const best = new Map<string, number>();
  for (const { id, strength } of all) best.set(id, Math.max(best.get(id) ?? 0, strength));
  return Object.fromEntries([...best].map(([id, strength]) => [`ext_${id}`, strengthText(strength)]));
}

describe('price points', () => {
  test('are there once, in their strongest form, in whatever order, batches and repeats they come', async () => {
    await fc.assert(
      fc.asyncProperty(points, fc.integer({ min: 1, max: 5 }), async (given, size) => {
        await database.pool.query('DELETE FROM price_points');
        for (let at = 0; at < given.length; at += size) {
          const batch = given
            .slice(at, at + size)
            .map(({ id, strength }) => point(id, strengthText(strength)));
          await storePoints(database.pool, origin(), batch);
          await storePoints(database.pool, origin(), batch.toReversed());
        }
        expect(await stored()).toEqual(strongest(given));
      }),
      { numRuns: 25 },
    );
  });

  test('are there once when many store them at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(points, { minLength: 2, maxLength: 6 }), async (writers) => {
        await database.pool.query('DELETE FROM price_points');
        await Promise.all(
          writers.map((given) =>
            storePoints(
              database.pool,
              origin(),
              given.map(({ id, strength }) => point(id, strengthText(strength))),
            ),
          ),
        );
        expect(await stored()).toEqual(strongest(writers.flat()));
        expect(await findPriceDuplicates(database.pool)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('give way to a stronger match alone, with all that belongs to it', async () => {
    const store = (strength: string, price: string) =>
      storePoints(database.pool, origin(), [point('a', strength, price)]);
    expect(await store('0.5', '10')).toEqual({ added: 1, strengthened: 0, kept: 0 });
    expect(await store('0.5', '11')).toEqual({ added: 0, strengthened: 0, kept: 1 });
    expect(await store('0.4', '12')).toEqual({ added: 0, strengthened: 0, kept: 1 });
    expect(await store('0.6', '13')).toEqual({ added: 0, strengthened: 1, kept: 0 });
    const { rows } = await database.pool.query('SELECT price::text FROM price_points');
    expect(rows).toEqual([{ price: '13' }]);
  });

  test('of different intakes and sources do not know each other', async () => {
    await configureSource(database.pool, 'other', { adapter_type: 'import' });
    const other = await addIntake(database);
    for (const [intake, source] of [[intakeId, 'shop'], [intakeId, 'other'], [other, 'shop']] as const)
      await storePoints(database.pool, { ...origin(), intakeId: intake, sourceId: source }, [point('a', '1')]);
    expect((await database.pool.query('SELECT FROM price_points')).rowCount).toBe(3);
  }); // biome-ignore format: rows
});

describe('a collection', () => {
  async function claimed() {
    await enqueue(database, intakeId);
    const [job] = await claimJobs(database.pool, {
      lanes: [{ kind: 'collect', executor: 'builtin', leaseSeconds: 300 }],
      limit: 1,
      workerId: 'w',
    });
    if (!job) throw new Error('no job');
    return job;
  }
  const collection = (job: Awaited<ReturnType<typeof claimed>>) => ({
    job,
    intakeId,
    owner: 'local',
    sourceId: 'shop',
    listings: [listing],
    observedAt,
  });

  test('stores its points, its end and the valuation together', async () => {
    const job = await claimed();
    expect(await storeCollection(database.pool, collection(job), 'supervisor:w')).toMatchObject({
      outcome: 'completed',
      stored: { added: 1 },
    });
    // The answer was lost: it is given again, and nothing is there twice.
    expect(await storeCollection(database.pool, collection(job), 'supervisor:w')).toMatchObject({
      outcome: 'completed',
    });
    const { rows } = await database.pool.query('SELECT median::text, comparables FROM valuations');
    expect(rows).toEqual([{ median: '5.00', comparables: 1 }]);
    expect((await database.pool.query('SELECT FROM valuation_history')).rowCount).toBe(1);
  });

  test('of a holder that lost its lease stores nothing', async () => {
    const job = await claimed();
    await database.pool.query('UPDATE crawl_jobs SET fence = fence + 1');
    expect(await storeCollection(database.pool, collection(job), 'supervisor:w')).toEqual({
      outcome: 'lost',
    });
    for (const table of ['price_points', 'valuations', 'valuation_history'])
      expect((await database.pool.query(`SELECT FROM ${table}`)).rowCount).toBe(0);
  });

  test('that breaks off at its end leaves neither points nor valuation nor a completed job', async () => {
    const job = await claimed();
    await database.pool.query('ALTER TABLE valuations ADD CONSTRAINT broken CHECK (median < 0)');
    await expect(storeCollection(database.pool, collection(job), 'supervisor:w')).rejects.toThrow(/broken/);
    await database.pool.query('ALTER TABLE valuations DROP CONSTRAINT broken');
    expect((await database.pool.query('SELECT FROM price_points')).rowCount).toBe(0);
    expect((await database.pool.query("SELECT FROM crawl_jobs WHERE status = 'processing'")).rowCount).toBe(
      1,
    );
  });

  test('beside another of the same intake leaves a valuation of both', async () => {
    await configureSource(database.pool, 'second', {
      adapter_type: 'json',
      config: { url: 'https://second.example/', fields: { price: 'p' } },
    });
    await enqueue(database, intakeId);
    const jobs = await claimJobs(database.pool, {
      lanes: [{ kind: 'collect', executor: 'builtin', leaseSeconds: 300 }],
      limit: 2,
      workerId: 'w',
    });
    const [one, two] = jobs;
    if (!one || !two) throw new Error('no jobs');
    const sourceOf = async (id: string) =>
      (await database.pool.query('SELECT source_id FROM crawl_jobs WHERE id = $1', [id])).rows[0].source_id;
    const ends = [one, two].map(async (job) =>
      storeCollection(
        database.pool,
        { ...collection(job), sourceId: await sourceOf(job.id) },
        'supervisor:w',
      ),
    );
    await Promise.all(ends);
    const { rows } = await database.pool.query('SELECT comparables, sources FROM valuations');
    expect(rows).toEqual([{ comparables: 2, sources: 2 }]);
  });
});

describe('a valuation', () => {
  test('follows the weight of a source, after whoever changed it and before long', async () => {
    await configureSource(database.pool, 'hand', { adapter_type: 'import', reputation_weight: 1 });
    await inTransaction(database.pool, async (db) => {
      await lockIntake(db, intakeId);
      await storePoints(db, origin(), [point('a', '1', '10')]);
      await storePoints(db, { ...origin(), sourceId: 'hand' }, [point('a', '1', '20')]);
    });
    const median = async () => (await database.pool.query('SELECT mean::text FROM valuations')).rows[0]?.mean;
    await configureSource(database.pool, 'hand', { reputation_weight: 0.25 });
    expect(await valueDueIntakes(database.pool)).toBe(1);
    expect(await median()).toBe('12.00');
    await configureSource(database.pool, 'hand', { reputation_weight: 0 });
    await Promise.all([valueDueIntakes(database.pool), valueDueIntakes(database.pool)]);
    expect(await median()).toBe('10.00');
    await configureSource(database.pool, 'hand', { tier: 3 });
    expect(await valueDueIntakes(database.pool)).toBe(0);
  });
});
