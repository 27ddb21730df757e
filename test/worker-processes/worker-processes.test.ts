import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { listEvents, showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { bundleProgram } from '../bundle-program.ts';
import { crawl, QueueFixture } from '../queue-fixture/queue-fixture.ts';

const queue = new QueueFixture();
const workers: Worker[] = [];
let program: string;

beforeAll(async () => {
  await queue.pool.query('CREATE TABLE runs (job_id uuid, worker_id text)');
  program = await bundleProgram('test/worker-processes/worker-program.ts');
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
  await queue.pool.query('TRUNCATE runs');
});

/** A real process, killed as rudely as processes are; its log lines are kept. */
class Worker {
  readonly id: string;
  readonly lines: { msg: string; job?: string; prior_worker?: string }[] = [];
  readonly #process: ChildProcess;

  constructor(id: string, env: Record<string, string> = {}) {
    this.id = id;
    this.#process = spawn(process.execPath, [program], {
      env: { ...process.env, DATABASE_URL: queue.url, WORKER_ID: id, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (this.#process.stdout) {
      createInterface({ input: this.#process.stdout }).on('line', (line) =>
        this.lines.push(JSON.parse(line)),
      );
    }
    workers.push(this);
  }

  said(text: string): Promise<boolean> {
    return vi.waitUntil(() => this.lines.some(({ msg }) => msg === text), { timeout: 15_000, interval: 10 });
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}

const countOf = async (status: string) =>
  (await queue.pool.query('SELECT count(*) AS count FROM crawl_jobs WHERE status = $1', [status])).rows[0]
    .count;
const until = (status: string, count: number) =>
  vi.waitUntil(async () => (await countOf(status)) === count, { timeout: 20_000, interval: 20 });

describe('worker processes on one queue', () => {
  test('do 20 jobs exactly once between the two of them', async () => {
    const [first, second] = [new Worker('worker-1'), new Worker('worker-2')];
    await Promise.all([first.said('ready'), second.said('ready')]);
    const enqueued = await enqueueJobs(
      queue.pool,
      Array.from({ length: 20 }, () => crawl()),
    );
    await new Notifier(queue.pool).notify('work');
    await until('completed', 20);
    const { rows: runs } = await queue.pool.query<{ job_id: string; worker_id: string }>(
      'SELECT * FROM runs',
    );
    expect(runs.map((run) => run.job_id).sort()).toEqual(enqueued.map(({ job }) => job.id).sort());
    expect(new Set(runs.map((run) => run.worker_id))).toEqual(new Set(['worker-1', 'worker-2']));
    for (const { job } of enqueued) {
      const transitions = (await listEvents(queue.pool, job.id)).map((event) => event.transition);
      expect(transitions).toEqual(['enqueue', 'claim', 'complete']);
    }
  });

  test("finish a killed worker's job, and say whose it was", async () => {
    const { id } = await queue.enqueueOne();
    const doomed = new Worker('doomed', { HOLD: '1' });
    await doomed.said('claimed');
    await doomed.kill();
    const heir = new Worker('heir');
    await heir.said('ready');
    await queue.passSeconds(121);
    await heir.said(`Recovering stale job ${id} (Retry 1/3)`);
    await until('completed', 1);
    expect(heir.lines).toContainEqual(expect.objectContaining({ job: id, prior_worker: 'doomed' }));
    expect(await showJob(queue.pool, id)).toMatchObject({ fence: 2, retry_count: 1, worker_id: 'heir' });
  });

  test("fail a killed worker's job for good when its retries are spent", async () => {
    const { id } = await queue.enqueueOne({ max_retries: 0 });
    const doomed = new Worker('doomed', { HOLD: '1' });
    await doomed.said('claimed');
    await doomed.kill();
    const heir = new Worker('heir');
    await heir.said('ready');
    await queue.passSeconds(121);
    await heir.said(`Job ${id} failed permanently`);
    expect(await showJob(queue.pool, id)).toMatchObject({
      status: 'failed',
      error_message: 'Job crashed and exceeded max retries',
    });
  });
});
