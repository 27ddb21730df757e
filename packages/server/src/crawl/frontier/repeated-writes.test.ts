import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Page } from '../../pages/stored/page.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { abandonFrontier } from './abandon-frontier.ts';
import { openFrontier } from './open-frontier.ts';
import { failure, found, save as saveAt } from './testing/checkpoint-fixture.ts';

/*
 * A connection that is cut leaves its statement running at the server. What is repeated meanwhile waits for the job's row, and
 * goes on with what it saw before it waited.
 */
const queue = new QueueFixture();

const waitingText = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Does a write twice, the second before the first is through; resolves with what both were told, and fails as they do. */
async function twice<Answer>({ id }: HeldJob, write: () => Promise<Answer>): Promise<Answer[]> {
  const blocker = await queue.pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM crawl_jobs WHERE id = $1 FOR UPDATE', [id]);
    const answers: Promise<Answer>[] = [];
    for (const nth of [1, 2]) {
      answers.push(write());
      while ((await queue.pool.query<{ waiting: number }>(waitingText)).rows[0]?.waiting !== nth)
        await delay(5);
    }
    await blocker.query('COMMIT');
    return await Promise.all(answers);
  } finally {
    blocker.release();
  }
}

const pathFound = (path: string) => found(`http://a.test/${path}`);
const open = (job: HeldJob) => openFrontier(queue.pool, job, { key: 'key', recrawl: false });
const save = (job: HeldJob, checkpoint: Parameters<typeof saveAt>[2]) => saveAt(queue.pool, job, checkpoint);

async function begun(): Promise<HeldJob> {
  const job = await queue.claimedOne();
  await open(job);
  return job;
}

test('a crawl is begun once, and both attempts are told so', async () => {
  const job = await queue.claimedOne();
  const states = await twice(job, () => open(job));
  expect(states.map(({ checkpoint_no }) => checkpoint_no)).toEqual([0, 0]);
});

test('the first checkpoint is told what is pending, not what was pending before it', async () => {
  const job = await begun();
  const saved = await twice(job, () => save(job, { number: 1, found: [pathFound('1'), pathFound('2')] }));
  expect(saved.map(({ total_pending }) => total_pending)).toEqual([2, 2]);
});

test('the last checkpoint is told that nothing is pending, and counts its page once', async () => {
  const job = await begun();
  await save(job, { number: 1, found: [pathFound('1')] });
  const { rows } = await queue.pool.query('SELECT host, seq FROM crawl_frontier WHERE job_id = $1', [job.id]);
  const page: Partial<Page> = {
    url_hash: pathFound('1').url_hash,
    url: pathFound('1').url,
    kind: 'page',
    outcome: 'fetched',
    status: 200,
    depth: 0,
    attempts: 1,
    fetched_at: new Date(),
  };
  const saved = await twice(job, () =>
    save(job, {
      number: 2,
      pages: [page as Page],
      done: rows,
      hosts: new Map([['a.test', { lowSeq: 2, pages: 1 }]]),
    }),
  );
  expect(saved).toMatchObject([
    { total_pending: 0, total_processed: 1, fetched: 1 },
    { total_pending: 0, total_processed: 1, fetched: 1 },
  ]);
  const { rows: counted } = await queue.pool.query(
    'SELECT pending, done FROM crawl_hosts WHERE job_id = $1',
    [job.id],
  );
  expect(counted).toMatchObject([{ pending: 0, done: 1 }]);
});

test('a checkpoint that leaves one out is refused', async () => {
  const job = await begun();
  await expect(save(job, { number: 2 })).rejects.toThrow('came out of turn');
});

test('what a limit leaves behind is given up whole, however often a batch of it is repeated', async () => {
  const job = await begun();
  await save(job, { number: 1, found: ['1', '2', '3', '4', '5'].map(pathFound) });
  const abandoned = await twice(job, () => abandonFrontier(queue.pool, job, 2));
  expect(abandoned.reduce((sum, one) => sum + one, 0)).toBe(5);
  const { rows } = await queue.pool.query(
    `SELECT total_pending, not_crawled, (SELECT count(*) FROM crawl_frontier frontier WHERE frontier.job_id = state.job_id) AS left
     FROM crawl_states state WHERE job_id = $1`,
    [job.id],
  );
  expect(rows).toEqual([{ total_pending: 0, not_crawled: 5, left: 0 }]);
});

test('a URL that waits for another attempt when a limit is reached fails with its last error, once', async () => {
  const job = await begun();
  await save(job, { number: 1, found: ['1', '2', '3'].map(pathFound) });
  const { rows: waiting } = await queue.pool.query(
    'SELECT host, seq FROM crawl_frontier WHERE job_id = $1 AND url = $2',
    [job.id, pathFound('2').url],
  );
  await save(job, {
    number: 2,
    postponed: waiting.map((row) => ({ ...row, attempts: 1, refusals: 0, until: 60_000, failure })),
  });
  await twice(job, () => abandonFrontier(queue.pool, job, 2));
  const { rows } = await queue.pool.query(
    `SELECT total_pending, total_processed, failed, not_crawled, next_page_no,
       (SELECT done FROM crawl_hosts host WHERE host.job_id = state.job_id) AS done
     FROM crawl_states state WHERE job_id = $1`,
    [job.id],
  );
  expect(rows).toEqual([
    { total_pending: 0, total_processed: 1, failed: 1, not_crawled: 2, next_page_no: 2, done: 1 },
  ]);
  const { rows: pages } = await queue.pool.query(
    'SELECT url, outcome, reason, message, status, attempts FROM crawl_pages WHERE job_id = $1',
    [job.id],
  );
  expect(pages).toEqual([{ url: pathFound('2').url, outcome: 'failed', ...failure, attempts: 1 }]);
});
