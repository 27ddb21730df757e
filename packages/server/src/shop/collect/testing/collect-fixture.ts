import { type Configuration, type Job, readConfiguration, type SourceSettings } from '@holdfast/contract';
import { pino } from 'pino';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../../test/database-fixture/create-test-database.ts';
import { configureSource } from '../../../governor/sources/configure-source.ts';
import { claimJobs } from '../../../queue/jobs/claim-jobs.ts';
import { enqueueJobs } from '../../../queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../queue/jobs/find-jobs.ts';
import { PooledJobs } from '../../../worker/runner/pooled-jobs.ts';
import { createIntake } from '../../intakes/edit-intakes.ts';
import { enqueueIntakes } from '../../intakes/enqueue-intakes.ts';
import { findIntake } from '../../intakes/find-intakes.ts';

const log = pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' });
const leaseSeconds = 300;

/** Claims collect jobs and runs them in this process as a pooled runner does. */
export class TestRunner {
  readonly #pool: TestDatabase['pool'];
  readonly #jobs: PooledJobs;
  readonly #waiting = new Map<string, () => void>();
  readonly #workerId: string;

  constructor(
    database: TestDatabase,
    configuration: Partial<Configuration>,
    { workerId = 'tester', moduleProgram = '' } = {},
  ) {
    this.#pool = database.pool;
    this.#workerId = workerId;
    this.#jobs = new PooledJobs({
      pool: database.pool,
      log,
      configuration: { ...readConfiguration({ WORKER_ID: workerId }), ...configuration },
      moduleProgram,
      send: (message) => {
        if (message.type === 'pooledEnded') this.#waiting.get(`${message.id} ${message.fence}`)?.();
      },
    });
  }

  /** Runs all ready jobs at once to their end; returns how many. */
  async runReady(limit = 500): Promise<number> {
    const claimed = await claimJobs(this.#pool, {
      lanes: [{ kind: 'collect', executor: 'builtin', leaseSeconds }],
      limit,
      workerId: this.#workerId,
    });
    await Promise.all(
      claimed.map(
        (job) =>
          new Promise<void>((resolve) => {
            this.#waiting.set(`${job.id} ${job.fence}`, resolve);
            this.#jobs.start(job, leaseSeconds * 1000);
          }),
      ),
    );
    return claimed.length;
  }

  close(): Promise<void> {
    return this.#jobs.drain();
  }
}

export function openCollection(): Promise<TestDatabase> {
  return createTestDatabase();
}

/** Tests share one database: creating one costs more than cleaning up. */
export async function emptyCollection({ pool }: TestDatabase): Promise<void> {
  await pool.query(
    'TRUNCATE intakes, price_points, adapter_cache, valuations, crawl_jobs, job_events, sources, robots_cache CASCADE',
  );
}

const coin = {
  title: 'Morgan Dollar',
  attributes: { year: 1881, mintmark: 'S', denomination: 'dollar' },
} as const;

export async function addIntake(database: TestDatabase, request: object = coin): Promise<string> {
  return (await createIntake(database.pool, 'local', request)).id;
}

export function addSource(database: TestDatabase, id: string, settings: SourceSettings) {
  return configureSource(database.pool, id, settings);
}

/** Creates collect jobs for intakes, all ready at once. */
export async function enqueue(database: TestDatabase, ...ids: string[]): Promise<Job[]> {
  const { pool } = database;
  const intakes = await Promise.all(ids.map((id) => findIntake(pool, id)));
  const made = await enqueueIntakes(pool, intakes, { staggerSeconds: 0 }, (requests) =>
    enqueueJobs(pool, requests),
  );
  return made.map(({ job }) => job);
}

/** Asks the only source for one intake; returns the job after its end. */
export async function collectOnce(
  database: TestDatabase,
  runner: TestRunner,
  intakeId: string,
): Promise<Job> {
  const [job] = await enqueue(database, intakeId);
  await runner.runReady();
  return showJob(database.pool, job?.id ?? '');
}

export interface PointRow {
  readonly price: string;
  readonly currency: string;
  readonly price_type: string;
  readonly match_strength: string;
  readonly dedupe_key: string;
  readonly listing_title: string | null;
}

export async function pointsOf(database: TestDatabase): Promise<PointRow[]> {
  const { rows } = await database.pool.query<PointRow>(
    `SELECT price::text, currency, price_type::text, match_strength::text, dedupe_key, listing_title
     FROM price_points ORDER BY dedupe_key`,
  );
  return rows;
}
