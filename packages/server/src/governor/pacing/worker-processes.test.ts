import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleProgram } from '../../../../../test/bundle-program.ts';
import { configureSource } from '../sources/configure-source.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';
import { bestShare, mostWithin, shareOfLimit } from './testing/measure-starts.ts';

const fixture = new GovernorFixture();
const isFull = process.env.HOLDFAST_TEST_FULL === '1';
const workers: Worker[] = [];
let program: string;

beforeAll(async () => {
  program = await bundleProgram('packages/server/src/governor/pacing/testing/crawler-program.ts');
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
});

class Worker {
  /** Milliseconds of the epoch. */
  readonly starts: number[] = [];
  readonly #process: ChildProcess;

  constructor(run: string, host: string) {
    this.#process = spawn(process.execPath, [program], {
      env: { ...process.env, DATABASE_URL: fixture.url, RUN: run, HOST: host },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (this.#process.stdout) {
      createInterface({ input: this.#process.stdout }).on('line', (line) => this.starts.push(Number(line)));
    }
    workers.push(this);
  }

  begun(): Promise<boolean> {
    return vi.waitUntil(() => this.starts.length > 0, { timeout: 10_000 });
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}

async function startTwo(host: string): Promise<[Worker, Worker]> {
  const pair: [Worker, Worker] = [new Worker('a', host), new Worker('b', host)];
  await Promise.all(pair.map((worker) => worker.begun()));
  return pair;
}

const after = (starts: number[], from: number) => starts.filter((start) => start >= from);

describe('two processes on one source', () => {
  test('keep its limit together, use it, and one alone uses it when the other was killed', async () => {
    const limit = 3000;
    const host = fixture.newHost();
    await configureSource(fixture.pool, host, {
      hosts: [host],
      rate_limit_per_minute: limit,
      concurrency: 20,
    });
    const [doomed, heir] = await startTwo(host);
    const begun = Date.now();
    await delay(2_500);
    await doomed.kill();
    const killed = Date.now();
    await delay(2_500);
    const all = [...doomed.starts, ...heir.starts];
    const intervalMs = 60_720 / (limit - 1);
    expect(mostWithin(all, 2_000)).toBeLessThanOrEqual(Math.ceil(2_100 / intervalMs));
    const together = after(all, begun).filter((start) => start < killed);
    expect(bestShare(together, limit, 1_000)).toBeGreaterThan(0.9);
    expect(bestShare(after(heir.starts, killed + 200), limit, 1_000)).toBeGreaterThan(0.9);
    expect(after(doomed.starts, begun).length).toBeGreaterThan(20);
  });

  // Minutes, literally.
  test.runIf(isFull).each([10, 120, 3000])(
    'keep a limit of %i in every minute',
    async (limit) => {
      const host = fixture.newHost();
      await configureSource(fixture.pool, host, {
        hosts: [host],
        rate_limit_per_minute: limit,
        concurrency: 20,
      });
      const pair = [new Worker('a', host), new Worker('b', host)];
      await delay(100_000);
      const starts = pair.flatMap((worker) => worker.starts);
      expect(mostWithin(starts, 60_000)).toBeLessThanOrEqual(limit);
      expect(shareOfLimit(starts, limit)).toBeGreaterThan(0.9);
    },
    120_000,
  );
});
