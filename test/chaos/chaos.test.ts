import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Timings } from '../../chaos/src/fault.ts';
import { faults } from '../../chaos/src/faults/index.ts';
import { PrivateServer } from '../../chaos/src/postgres/private-server.ts';
import { runFault } from '../../chaos/src/run-fault.ts';

/*
 * A cut of `npm run chaos`: the same faults, smaller. It judges what is stored, what was asked for and who wrote it, not how
 * long things took: machines that run tests are busy.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const seed = Number(process.env.HOLDFAST_CHAOS_SEED ?? 42);
/** Nothing waits for these; with a short one, a runner that is not scheduled for a while would count as hung. */
const patient: Timings = { leaseSeconds: 20, heartbeatSeconds: 1, sweepSeconds: 1 };
/** Leases that have to run out. */
const short: Timings = { leaseSeconds: 3, heartbeatSeconds: 0.5, sweepSeconds: 0.5 };
const full = process.env.HOLDFAST_TEST_FULL === '1';
type Cut = readonly (readonly [id: string, timings: Timings])[];

/** They mostly wait, and have nothing to do with one another: all at once, they take as long as the longest. */
const waiting: Cut = [['F11', short], ['F16', patient], ...(full ? ([['F3', short]] as const) : [])];
const working: Cut = [
  ['F2', patient],
  ['F14', patient],
  // What they break is broken by quicker tests too: test/crawl/kills.test.ts, steering.test.ts, runner-deaths.test.ts and
  // packages/server/src/queue/interleaving.test.ts.
  ...(full
    ? ([
        ['F1', patient],
        ['F10', patient],
        // It restarts the server of all: nobody else may be at it.
        ['F5', patient],
      ] as const)
    : []),
];
let server: PrivateServer;

beforeAll(async () => {
  server = await PrivateServer.create({ settings: { fsync: 'off', full_page_writes: 'off' } });
});
afterAll(() => server?.remove());

async function holds(id: string, timings: Timings): Promise<void> {
  const fault = faults.find((one) => one.id === id);
  if (!fault) throw new Error(`there is no fault ${id}`);
  const verdict = await runFault(fault, { root, server, seed, scale: 0.02, timings });
  expect(verdict.problems, `${fault.title}: ${JSON.stringify(verdict.figures)}`).toEqual([]);
}

describe(`under faults (seed ${seed})`, () => {
  describe.concurrent('all at once', () => {
    test.each(waiting)('%s holds', holds, 180_000);
  });

  describe('one after the other', () => {
    test.each(working)('%s holds', holds, 180_000);
  });
});
