import { transitionNames, transitions } from '@holdfast/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { ObservedQueue } from './testing/observed-queue.ts';
import { queueCommands } from './testing/queue-commands.ts';
import { liveWorkers, QueueModel } from './testing/queue-model.ts';

const full = process.env.HOLDFAST_TEST_FULL === '1';
const seed = process.env.HOLDFAST_TEST_SEED;
/** retryUrls needs pages: it has tests of its own beside the frontier. */
const everyMove = transitionNames
  .filter((name) => name !== 'retryUrls')
  .flatMap((name) => transitions[name].moves.map(([from, to]) => `${name}: ${from} → ${to}`));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ max: 1 });
});
afterAll(() => database.drop());

test('whatever is done to the queue, rows, timelines and answers are those of the model', async () => {
  const client = await database.pool.connect();
  await client.query(
    `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, last_seen)
     SELECT id, 'h', 'b', 1, '1', '1', 1, 'infinity' FROM unnest($1::text[]) AS id`,
    [liveWorkers],
  );
  const queue = new ObservedQueue(client);
  const parameters: fc.Parameters<[Iterable<fc.AsyncCommand<QueueModel, ObservedQueue>>]> = {
    numRuns: full ? 1_000 : 60,
    ...(seed !== undefined && { seed: Number(seed) }),
  };
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.noBias(fc.commands(queueCommands, { maxCommands: 80, size: 'max' })),
        async (commands) => {
          await queue.empty();
          await fc.asyncModelRun(() => ({ model: new QueueModel(), real: queue }), commands);
        },
      ),
      parameters,
    );
    if (full) expect([...queue.moves].sort()).toEqual(everyMove.sort());
  } finally {
    client.release();
  }
}, 1_200_000);
