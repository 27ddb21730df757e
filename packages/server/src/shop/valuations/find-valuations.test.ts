import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestDatabase } from '../../../../../test/database-fixture/create-test-database.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { addIntake, addSource, enqueue, openCollection } from '../collect/testing/collect-fixture.ts';
import { findPriceSummary } from './find-valuations.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openCollection();
});
afterAll(() => database.drop());

test('tells how the last job of each source went, and nothing of the jobs of other owners', async () => {
  const { pool } = database;
  const settings = {
    adapter_type: 'json',
    config: { url: 'https://shop.example/', fields: { price: 'p' } },
  } as const;
  await addSource(database, 'shop', settings);
  const intakeId = await addIntake(database);
  const [mine] = await enqueue(database, intakeId);
  await cancelJobs(pool, [mine?.id ?? ''], 'user:local');
  await addSource(database, 'elsewhere', settings);
  for (const source_id of ['shop', 'elsewhere']) {
    const payload = { intake_id: intakeId };
    await enqueueJob(pool, { kind: 'collect', payload, source_id, user_id: 'mallory' });
  }
  expect((await findPriceSummary(pool, intakeId)).sources).toEqual([
    { source_id: 'shop', points: 0, last_seen: null, last_status: 'cancelled', last_error: null },
  ]);
});
