import type { CrawlOptions, Job, JobRequest, JobStatus } from '@holdfast/contract';
import { afterAll, beforeAll, vi } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { type SiteOptions, TestSite } from './test-site.ts';
import { WorkerProcess } from './worker-process.ts';

/** A site, a database and a worker process for the crawls of one test file. */
export class CrawlFixture {
  readonly #siteOptions: SiteOptions;
  readonly #allowed: readonly string[];
  readonly #env: Record<string, string>;
  #database: TestDatabase | undefined;
  #site: TestSite | undefined;
  worker: WorkerProcess | undefined;

  constructor(
    siteOptions: SiteOptions,
    { alsoAllowed, env = {} }: { alsoAllowed?: string; env?: Record<string, string> } = {},
  ) {
    this.#siteOptions = siteOptions;
    this.#env = env;
    this.#allowed = alsoAllowed ? [alsoAllowed] : [];
    beforeAll(async () => {
      this.#database = await createTestDatabase();
      this.#site = await TestSite.start(this.#siteOptions);
      this.startWorker();
      await this.worker?.saying(/is ready/);
    });
    afterAll(async () => {
      await this.worker?.end('SIGKILL');
      await this.#site?.stop();
      await this.#database?.drop();
    });
  }

  get site(): TestSite {
    if (!this.#site) throw new Error('the site is not there yet');
    return this.#site;
  }

  get databaseUrl(): string {
    return this.#database?.url ?? '';
  }

  get pool(): TestDatabase['pool'] {
    if (!this.#database) throw new Error('the database is not there yet');
    return this.#database.pool;
  }

  startWorker(env: Record<string, string> = {}): WorkerProcess {
    this.worker = new WorkerProcess(this.#database?.url ?? '', {
      HOLDFAST_ALLOW_PRIVATE: [this.site.origin, ...this.#allowed].join(','),
      ...this.#env,
      ...env,
    });
    return this.worker;
  }

  async crawl(
    path = '/',
    options: Partial<CrawlOptions> = {},
    fields: Partial<JobRequest> = {},
  ): Promise<Job> {
    const payload = { url: `${this.site.origin}${path}`, ...options };
    const { job } = await enqueueJob(this.pool, { kind: 'crawl', payload, ...fields } as JobRequest);
    await new Notifier(this.pool).notify('work');
    return job;
  }

  async reaches(id: string, ...statuses: JobStatus[]): Promise<Job> {
    await vi.waitUntil(async () => statuses.includes((await showJob(this.pool, id)).status), {
      timeout: 50_000,
      interval: 25,
    });
    return await showJob(this.pool, id);
  }

  /** Crawls to the end. */
  async crawled(path?: string, options?: Partial<CrawlOptions>, fields?: Partial<JobRequest>): Promise<Job> {
    const { id } = await this.crawl(path, options, fields);
    return await this.reaches(id, 'completed', 'failed', 'cancelled', 'retryable');
  }

  /** What came of each path: fetched, or the outcome with its reason. */
  async outcomes(id: string): Promise<Record<string, string>> {
    const { rows } = await this.pool.query<{ url: string; outcome: string; reason: string | null }>(
      'SELECT url, outcome, reason FROM crawl_pages WHERE job_id = $1 ORDER BY url',
      [id],
    );
    const entries = rows.map(({ url, outcome, reason }) => [
      url.slice(this.site.origin.length),
      reason ? `${outcome}: ${reason}` : outcome,
    ]);
    return Object.fromEntries(entries.filter(([, outcome]) => outcome !== 'skipped: absent'));
  }
}
