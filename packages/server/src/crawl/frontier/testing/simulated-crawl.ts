import { HoldfastError } from '@holdfast/contract';
import { pino } from 'pino';
import type { TestDatabase } from '../../../../../../test/database-fixture/create-test-database.ts';
import type { Page } from '../../../pages/stored/page.ts';
import { cancelJobs } from '../../../queue/jobs/cancel-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../../queue/jobs/complete-jobs.ts';
import { crashJobs } from '../../../queue/jobs/crash-jobs.ts';
import { enqueueJob } from '../../../queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../queue/jobs/find-jobs.ts';
import { pauseJobs } from '../../../queue/jobs/pause-jobs.ts';
import { sweepLeases } from '../../../queue/jobs/recover-jobs.ts';
import { releaseJobs } from '../../../queue/jobs/release-jobs.ts';
import { resetLocks } from '../../../queue/jobs/reset-locks.ts';
import { resumeJobs } from '../../../queue/jobs/resume-jobs.ts';
import { retryJobs } from '../../../queue/jobs/retry-jobs.ts';
import { giveUpShard } from '../../../queue/shards/give-up-shard.ts';
import { joinCrawls } from '../../../queue/shards/join-crawls.ts';
import { openShards, type ShardPlan } from '../../../queue/shards/open-shards.ts';
import { renewShards } from '../../../queue/shards/renew-shards.ts';
import { urlHash } from '../../../web/urls/hashes.ts';
import { abandonFrontier } from '../abandon-frontier.ts';
import { firstSeq, type SavedShard } from '../checkpoint-statement.ts';
import type { FoundUrl, FrontierEntry } from '../frontier-entry.ts';
import { openFrontier, type ShardState } from '../open-frontier.ts';
import { readFrontier } from '../read-frontier.ts';
import { shardOfUrl } from '../shard-of-url.ts';
import { found, save } from './checkpoint-fixture.ts';

const lane = { kind: 'crawl', executor: 'builtin', leaseSeconds: 120 } as const;
const log = pino({ level: 'silent' });
const actor = 'supervisor:w';

/** A runner: what it knows of its shard. `isZombie`: everybody else believes it dead. */
interface Runner {
  readonly job: ClaimedJob;
  shard: ShardState & Partial<SavedShard>;
  requested: boolean;
  /** Of the whole crawl, as of its last checkpoint. */
  fetched: number;
  isZombie: boolean;
  /** It does one thing after the other; only its death does not wait. */
  isBusy: boolean;
}

export interface CrawlPlan extends ShardPlan {
  readonly urls: number;
  readonly maxPages: number | undefined;
}

/** One crawl of made-up URLs by runners that use the statements of real ones, each action as one of them may do it at any time. */
export class SimulatedCrawl {
  readonly #pool: TestDatabase['pool'];
  readonly #plan: CrawlPlan;
  readonly #shardOf: ReturnType<typeof shardOfUrl>;
  runners: Runner[] = [];
  jobId = '';
  /** How often each URL was fetched by a runner that was not believed dead. */
  readonly fetched = new Map<string, number>();
  /** Checkpoints that a runner believed dead got accepted after its shard was taken from it. */
  zombieWrites = 0;

  constructor(pool: TestDatabase['pool'], plan: CrawlPlan) {
    this.#pool = pool;
    this.#plan = plan;
    this.#shardOf = shardOfUrl(plan);
  }

  async start(): Promise<void> {
    const payload = {
      url: this.#url(0),
      shards: this.#plan.shards,
      ...(this.#plan.maxPages !== undefined && { max_pages: this.#plan.maxPages }),
    };
    this.jobId = (await enqueueJob(this.#pool, { kind: 'crawl', payload, max_retries: 100 } as never)).job.id;
  }

  /** One of the things that happen. Each survives whatever the others do meanwhile. */
  async act(name: ActionName, choice: number): Promise<void> {
    const runner = this.runners[choice % Math.max(this.runners.length, 1)];
    const isItsOwn = runner !== undefined && ['work', 'finish', 'block', 'drain'].includes(name);
    if (isItsOwn && runner.isBusy) return;
    if (isItsOwn) runner.isBusy = true;
    try {
      await this.#actions[name](runner, choice);
    } catch (error) {
      if (!(error instanceof HoldfastError && error.code === 'lease_lost')) throw error;
      if (runner) this.#forget(runner);
    } finally {
      if (isItsOwn) runner.isBusy = false;
    }
  }

  readonly #actions = {
    claim: async () => {
      const [job] = await claimJobs(this.#pool, { lanes: [lane], limit: 1, workerId: 'w' });
      if (!job) return;
      const ticket = await openShards(this.#pool, job, 'w', this.#plan);
      if (ticket !== undefined) await this.#begin({ ...job, ticket });
    },
    join: async (_: Runner | undefined, choice: number) => {
      const limit = 1 + (choice % 2);
      for (const job of await joinCrawls(this.#pool, { workerId: 'w', limit, allowPrivate: [] }))
        await this.#begin(job);
    },
    work: async (runner: Runner | undefined, choice: number) => {
      if (runner) await this.#work(runner, choice);
    },
    /** Nothing to do, or only nothing for now. */
    finish: async (runner: Runner | undefined) => {
      if (!runner) return;
      if (runner.requested) return await this.#leave(runner, false);
      if (runner.shard.pending === 0 || runner.shard.budget === 0) await this.#leave(runner, true);
    },
    block: async (runner: Runner | undefined) => {
      if (runner) await this.#leave(runner, true, 30);
    },
    drain: async (runner: Runner | undefined) => {
      if (runner) await this.#leave(runner, false);
    },
    /** Its supervisor sees it die. */
    die: async (runner: Runner | undefined) => {
      if (!runner || runner.isZombie) return;
      this.#forget(runner);
      const { became } = await giveUpShard(this.#pool, runner.job);
      if (became === 'last')
        await crashJobs(this.#pool, [{ ...runner.job, error: new HoldfastError('runner_crashed') }], actor);
    },
    /** Its machine stands still beyond its lease; later it may try to go on. */
    vanish: async (runner: Runner | undefined) => {
      if (!runner) return;
      runner.isZombie = true;
      await this.#pool.query(
        `UPDATE crawl_shards SET lease_expires_at = now() - interval '1 second' WHERE fence = $1 AND worker_id IS NOT NULL`,
        [runner.job.ticket],
      );
      await sweepLeases(this.#pool, log, 'w');
    },
    renew: async () => {
      await renewShards(
        this.#pool,
        this.runners.filter(({ isZombie }) => !isZombie).map(({ job }) => job),
      );
    },
    pause: async () => {
      await pauseJobs(this.#pool, [this.jobId], actor);
    },
    resume: async () => {
      await resumeJobs(this.#pool, [this.jobId], actor);
    },
    cancel: async () => {
      await cancelJobs(this.#pool, [this.jobId], actor);
    },
    resetLock: async () => {
      await resetLocks(this.#pool, [this.jobId], actor);
    },
  } as const;

  /** Lets it go on undisturbed until it is completed. */
  async finish(): Promise<void> {
    for (let step = 0; step < 300; step++) {
      const { status } = await showJob(this.#pool, this.jobId);
      if (status === 'completed') return;
      if (status === 'paused') await resumeJobs(this.#pool, [this.jobId], actor);
      if (status === 'cancelled' || status === 'failed') await retryJobs(this.#pool, [this.jobId], actor);
      await this.#pool.query('UPDATE crawl_jobs SET run_at = NULL WHERE id = $1 AND run_at IS NOT NULL', [
        this.jobId,
      ]);
      await this.#pool.query('UPDATE crawl_shards SET not_before = NULL WHERE not_before IS NOT NULL');
      await this.act('claim', 0);
      await this.act('join', step);
      for (const runner of [...this.runners]) {
        const choice = this.runners.indexOf(runner);
        if (choice < 0) continue;
        await this.act('work', choice);
        if (this.runners[choice] === runner) await this.act('finish', choice);
      }
      if (step % 50 === 49) await this.#expireAll();
    }
    throw new Error('the crawl does not end');
  }

  /** What a runner of a dead worker still holds. */
  async #expireAll(): Promise<void> {
    this.runners = [];
    await this.#pool.query(
      `UPDATE crawl_shards SET lease_expires_at = now() - interval '1 second' WHERE worker_id IS NOT NULL`,
    );
    await this.#pool.query(
      `UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 second' WHERE status = 'processing'`,
    );
    await sweepLeases(this.#pool, log, 'w');
  }

  async #begin(job: ClaimedJob): Promise<void> {
    const state = await openFrontier(this.#pool, job, { key: job.id, recrawl: false });
    if (!state.shard) throw new Error('no shard');
    const runner: Runner = {
      job,
      shard: state.shard,
      requested: false,
      fetched: state.fetched,
      isZombie: false,
      isBusy: false,
    };
    if (state.checkpoint_no === 0) await this.#save(runner, { found: [this.#found(0)] });
    this.runners.push(runner);
  }

  async #work(runner: Runner, choice: number): Promise<void> {
    const { shard, job } = runner;
    // Before it writes: its shard may be taken while it does.
    const wasTaken = runner.isZombie && !(await this.#isHeld(runner));
    const { maxPages = Number.POSITIVE_INFINITY } = this.#plan;
    const most = Math.min(1 + (choice % 4), maxPages === Number.POSITIVE_INFINITY ? 4 : shard.budget);
    const stretch = {
      host: 'a.test',
      afterSeq: firstSeq(shard.shard) - 1,
      limit: Math.max(most, 1),
      part: 'all',
    } as const;
    const entries = (
      await readFrontier(this.#pool, { jobId: job.id, baseline: null, shard: shard.shard }, stretch)
    ).slice(0, most);
    const done = await this.#save(runner, {
      entries,
      found: this.#linksOf(entries),
    });
    if (!done) return;
    if (wasTaken) this.zombieWrites++;
    for (const { url } of entries) this.fetched.set(url, (this.fetched.get(url) ?? 0) + 1);
  }

  async #isHeld({ job }: Runner): Promise<boolean> {
    const { rows } = await this.#pool.query(
      'SELECT FROM crawl_shards WHERE fence = $1 AND worker_id IS NOT NULL',
      [job.ticket],
    );
    return rows.length > 0;
  }

  async #save(
    runner: Runner,
    { entries = [], found }: { entries?: FrontierEntry[]; found: FoundUrl[] },
  ): Promise<boolean> {
    const { shard, job } = runner;
    const saved = await save(this.#pool, job, {
      number: shard.checkpoint_no + 1,
      found,
      pages: entries.map(pageOf),
      done: entries.map(({ host, seq }) => ({ host, seq })),
      hosts: new Map(entries.length > 0 ? [['a.test', { lowSeq: 0, pages: entries.length }]] : []),
      shard: {
        shard: shard.shard,
        of: this.#shardOf,
        limit: this.#plan.maxPages,
        spent: entries.length,
        want: shard.pending === 0 && entries.length === 0 && found.length === 0 ? -shard.budget : 3,
      },
    });
    if (!saved.shard) throw new Error('no shard');
    runner.shard = { ...shard, ...saved.shard, checkpoint_no: shard.checkpoint_no + 1 };
    runner.requested = saved.requested_action !== null;
    runner.fetched = saved.fetched;
    return true;
  }

  /** As end-crawl.ts does. */
  async #leave(runner: Runner, maySwitch: boolean, waitSeconds?: number): Promise<void> {
    const isAtLimit = runner.fetched >= (this.#plan.maxPages ?? Number.POSITIVE_INFINITY);
    const onlyEmpty = maySwitch && waitSeconds === undefined && !isAtLimit;
    const given = await giveUpShard(this.#pool, runner.job, { maySwitch, onlyEmpty, waitSeconds });
    if (given.became === 'switched' || given.became === 'stays') {
      const state = await openFrontier(this.#pool, runner.job, { key: runner.job.id, recrawl: false });
      if (state.shard) runner.shard = state.shard;
      return;
    }
    this.#forget(runner);
    if (given.became !== 'last') return;
    const { job } = runner;
    if (maySwitch && (given.is_at_limit || given.total_pending === 0)) {
      if (given.is_at_limit) await abandonFrontier(this.#pool, job);
      await completeJobs(this.#pool, [job], actor);
    } else await releaseJobs(this.#pool, [{ ...job, reason: 'blocked', notBeforeSeconds: 0 }], actor);
  }

  #forget(runner: Runner): void {
    this.runners = this.runners.filter((other) => other !== runner);
  }

  #url(n: number): string {
    return `http://a.test/${n}`;
  }

  #found(n: number) {
    return found(this.#url(n), { host: 'a.test' });
  }

  /** A connected graph with many links to the same pages, each found once per checkpoint. */
  #linksOf(entries: readonly FrontierEntry[]): FoundUrl[] {
    const numbers = entries.map(({ url }) => Number(url.split('/').at(-1)));
    const targets = new Set(numbers.flatMap((n) => [2 * n + 1, 2 * n + 2, 3 * n + 1, n + 1]));
    return [...targets].filter((n) => n < this.#plan.urls).map((n) => this.#found(n));
  }
}

export const actionNames = [
  'claim',
  'join',
  'work',
  'finish',
  'block',
  'drain',
  'die',
  'vanish',
  'renew',
  'pause',
  'resume',
  'cancel',
  'resetLock',
] as const;
export type ActionName = (typeof actionNames)[number];

const pageOf = ({ url, depth }: FrontierEntry): Page =>
  ({
    url,
    url_hash: urlHash(url),
    kind: 'page',
    outcome: 'fetched',
    depth,
    attempts: 1,
    fetched_at: new Date(),
    content: { links: Buffer.from(''), markdown: null, html: null },
  }) as unknown as Page;
