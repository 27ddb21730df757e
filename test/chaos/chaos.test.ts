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
const cut: readonly (readonly [id: string, timings: Timings])[] = [
  ['F2', patient],
  ['F11', short],
  ['F14', patient],
  ['F16', patient],
  // Twenty seconds each; what they break is broken by quicker tests too: test/crawl/kills.test.ts, steering.test.ts,
  // runner-deaths.test.ts and packages/server/src/queue/interleaving.test.ts.
  ...(full
    ? ([
        ['F1', patient],
        ['F3', short],
        ['F5', patient],
        ['F10', patient],
      ] as const)
    : []),
];
let server: PrivateServer;

beforeAll(async () => {
  server = await PrivateServer.create({ settings: { fsync: 'off', full_page_writes: 'off' } });
});
afterAll(() => server?.remove());

describe(`under faults (seed ${seed})`, () => {
  test.each(cut)(
    '%s holds',
    async (id, timings) => {
      const fault = faults.find((one) => one.id === id);
      if (!fault) throw new Error(`there is no fault ${id}`);
      const verdict = await runFault(fault, { root, server, seed, scale: 0.02, timings });
      expect(verdict.problems, `${fault.title}: ${JSON.stringify(verdict.figures)}`).toEqual([]);
    },
    180_000,
  );
});
