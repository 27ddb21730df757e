import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { findViolations } from '../../ops/doctor/check-invariants.ts';
import { type ActionName, actionNames, type CrawlPlan, SimulatedCrawl } from './testing/simulated-crawl.ts';

const full = process.env.HOLDFAST_TEST_FULL === '1';
const seed = process.env.HOLDFAST_TEST_SEED;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());

/** Work is frequent, deaths are not rare, and an operator comes by now and then. */
const weights: Record<ActionName, number> = {
  claim: 3,
  join: 4,
  work: 10,
  finish: 5,
  block: 1,
  drain: 1,
  die: 2,
  vanish: 2,
  renew: 1,
  pause: 1,
  resume: 2,
  cancel: 1,
  resetLock: 1,
};
const action = fc.tuple(
  fc.oneof(...actionNames.map((name) => ({ weight: weights[name], arbitrary: fc.constant(name) }))),
  fc.nat(11),
);
/** What happens at once, and then what happens at once, and so on. */
const story = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 20 });
const plans: fc.Arbitrary<CrawlPlan> = fc.record({
  shards: fc.integer({ min: 2, max: 6 }),
  by: fc.constant('url' as const),
  urls: fc.integer({ min: 1, max: 25 }),
  maxPages: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
});

/**
 * Without the one that compares times: a lock that is reset while a checkpoint is written gets the time at which it began to wait for it.
 */
async function checkInvariants(jobId: string): Promise<void> {
  const violations = await findViolations(database.pool, [jobId], 60);
  const found = violations.filter(({ invariant }) => invariant.number !== 7);
  expect(found.map(({ invariant, found }) => `${invariant.number}: ${found}`)).toEqual([]);
}

async function assertEnded(crawl: SimulatedCrawl, { urls, maxPages = urls }: CrawlPlan): Promise<void> {
  const { rows } = await database.pool.query(
    `SELECT state.fetched, state.leased, state.not_crawled,
       (SELECT count(*)::int FROM job_events WHERE job_id = $1 AND transition = 'complete') AS completions,
       (SELECT array_agg(page_no ORDER BY page_no) FROM crawl_pages WHERE job_id = $1) AS numbers
     FROM crawl_states state WHERE job_id = $1`,
    [crawl.jobId],
  );
  const { fetched, leased, completions, numbers } = rows[0];
  expect({ fetched, leased, completions }).toEqual({
    fetched: Math.min(urls, maxPages),
    leased: 0,
    completions: 1,
  });
  expect(numbers.map(Number)).toEqual(numbers.map((_: unknown, n: number) => n + 1));
  expect([...crawl.fetched.values()].every((count) => count === 1)).toBe(true);
  expect(crawl.fetched.size).toBe(fetched);
}

test('a crawl with shards ends once, with every page fetched once and its limit exact, whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(plans, story, async (plan, steps) => {
      await database.pool.query('TRUNCATE crawl_jobs, job_events, crawl_shards');
      const crawl = new SimulatedCrawl(database.pool, plan);
      await crawl.start();
      for (const step of steps) {
        await Promise.all(step.map(([name, choice]) => crawl.act(name, choice)));
        await checkInvariants(crawl.jobId);
      }
      await crawl.finish();
      await checkInvariants(crawl.jobId);
      expect(crawl.zombieWrites).toBe(0);
      await assertEnded(crawl, plan);
    }),
    { endOnFailure: true, numRuns: full ? 1_000 : 40, ...(seed !== undefined && { seed: Number(seed) }) },
  );
}, 1_200_000);
