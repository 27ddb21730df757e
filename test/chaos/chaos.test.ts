import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Timings } from '../../chaos/src/fault.ts';
import { faults } from '../../chaos/src/faults/index.ts';
import { PrivateServer } from '../../chaos/src/postgres/private-server.ts';
import { runFault } from '../../chaos/src/run-fault.ts';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';

/*
 * A cut of `npm run chaos`: the same faults, smaller. It judges what is stored, what was asked for and who wrote it, not how
 * long things took: machines that run tests are busy.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const seed = Number(process.env.HOLDFAST_CHAOS_SEED ?? 42);
const timings: Timings = { leaseSeconds: 2, heartbeatSeconds: 0.4, sweepSeconds: 0.4 };
/**
 * With a lease of 2 s, a runner that gives no sign of life for half a second counts as hung. That happens on a busy machine, and
 * costs a retry and what was in flight, of which F14 and F24 allow nothing, and F1 and F2 only what they saw; F18 looks at what became of its browsers. No lease has to run
 * out in these.
 */
const unhurried = { ...timings, leaseSeconds: 10 };
const patient: Readonly<Record<string, Timings>> = {
  F1: unhurried,
  F2: unhurried,
  F14: unhurried,
  F18: unhurried,
  F24: unhurried,
};
/** These mostly wait: all at once, and beside the others, they cost little. */
const waiting = ['F3', 'F11', 'F16'];
/** These need the processors. F5 is the last: it restarts the PostgreSQL of all. */
const working = ['F1', 'F2', 'F10', 'F14', 'F24'];
/** With the wait for its turn. */
const timeoutMs = 480_000;
const browser = await browserForTests();
let server: PrivateServer;

beforeAll(async () => {
  server = await PrivateServer.create({ settings: { fsync: 'off', full_page_writes: 'off' } });
});
afterAll(() => server?.remove());

async function holds(id: string): Promise<void> {
  const fault = faults.find((one) => one.id === id);
  if (!fault) throw new Error(`there is no fault ${id}`);
  const verdict = await runFault(fault, { root, server, seed, scale: 0.02, timings: patient[id] ?? timings });
  if (process.env.CHAOS_FIGURES) console.error(JSON.stringify(verdict));
  expect(verdict.problems, `${fault.title}: ${JSON.stringify(verdict.figures)}`).toEqual([]);
}

let turn: Promise<unknown> = Promise.resolve();
function holdsInTurn(id: string): Promise<void> {
  const mine = turn.then(() => holds(id));
  turn = mine.catch(() => undefined);
  return mine;
}

describe(`under faults (seed ${seed})`, () => {
  describe.concurrent('side by side', () => {
    test.each(waiting)('%s holds', holds, timeoutMs);
    test.each(working)('%s holds', holdsInTurn, timeoutMs);
    test.skipIf(!browser)('F18 holds', () => holdsInTurn('F18'), timeoutMs);
  });

  test('F5 holds', () => holds('F5'), timeoutMs);
});
