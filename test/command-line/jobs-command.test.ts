import { crawlOptions, HoldfastError } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { failJobs } from '../../packages/server/src/queue/jobs/fail-jobs.ts';
import { failStarts } from '../../packages/server/src/queue/jobs/fail-starts.ts';
import { releaseJobs } from '../../packages/server/src/queue/jobs/release-jobs.ts';
import { renewLeases } from '../../packages/server/src/queue/jobs/renew-leases.ts';
import { actor, QueueFixture } from '../queue-fixture/queue-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';

const queue = new QueueFixture();
const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: queue.url });
const nobody = '00000000-0000-7000-8000-000000000000';

describe('holdfast jobs', () => {
  test('an empty list teaches how to get the first job', async () => {
    expect(await holdfast('jobs', 'list')).toMatchObject({
      exit: 0,
      stdout: 'No jobs yet. Create one: npx holdfast jobs create crawl https://example.com\n',
    });
  });

  test('a job can be created, listed, steered and its story told', async () => {
    const created = await holdfast(
      'jobs',
      'create',
      'crawl',
      'https://example.com/',
      '--priority',
      '5',
      '--json',
    );
    expect(created.stderr).toContain(
      'Waits for a worker: no worker is running. Start one: `npx holdfast worker` or `npx holdfast up`.',
    );
    const { id, url } = JSON.parse(created.stdout);
    expect(url).toBe('https://example.com/');
    expect((await holdfast('jobs', 'list')).stdout).toMatch(new RegExp(`${id}  crawl  pending +5`));
    expect((await holdfast('jobs', 'pause', id)).stdout).toBe(`job ${id}: paused\n`);
    expect((await holdfast('jobs', 'resume', id)).stdout).toBe(`job ${id}: pending\n`);
    expect((await holdfast('jobs', 'cancel', id, '--reason', 'not needed')).stdout).toBe(
      `job ${id}: cancelled\n`,
    );
    expect((await holdfast('jobs', 'retry', id, '--afresh')).stdout).toBe(`job ${id}: pending\n`);
    const shown = await holdfast('jobs', 'show', id);
    expect(shown.stdout).toMatch(
      /status +pending\nwaits +Waits for a worker: no worker is running. Start one: `npx holdfast worker`/,
    );
    expect(shown.stdout).toMatch(/you can +pause, cancel/);
    expect(shown.stdout).toMatch(/cancel +pending +cancelled.*user:.* not needed/);
    const events = JSON.parse((await holdfast('jobs', 'events', id, '--json')).stdout);
    expect(events.map((event: { transition: string }) => event.transition)).toEqual([
      'enqueue',
      'pause',
      'resume',
      'cancel',
      'retry',
    ]);
  });

  test('jobs that have ended can be deleted; each is answered for itself', async () => {
    const [ended, live] = [await queue.claimedOne(), await queue.enqueueOne()];
    await failJobs(queue.pool, [{ ...ended, error: new HoldfastError('run_failed', 'broken') }], actor);
    const answer = await holdfast('jobs', 'delete', ended.id, nobody, live.id);
    expect(answer).toMatchObject({ exit: 4, stdout: `job ${ended.id}: deleted\n` });
    expect(answer.stderr).toContain(
      `job ${live.id} is pending, and only a job that has ended can be deleted`,
    );
    expect(answer.stderr).toContain(`npx holdfast jobs cancel ${live.id}`);
    expect(answer.stderr).toContain(nobody);
    expect((await holdfast('jobs', 'show', ended.id)).exit).toBe(3);
    await holdfast('jobs', 'cancel', live.id);
    const deleted = JSON.parse(
      (await holdfast('jobs', 'delete', '--with-results', '--json', live.id)).stdout,
    );
    expect(deleted).toMatchObject({ id: live.id, status: 'cancelled', results: 0, is_cleared: true });
  });

  test('a completed visit runs again as a new job', async () => {
    const { id } = await queue.enqueueOne({ kind: 'visit', payload: { url: 'https://shop.example/' } });
    await queue.pool.query(`UPDATE crawl_jobs SET status = 'completed', completed_at = now() WHERE id = $1`, [
      id,
    ]);
    expect((await holdfast('jobs', 'show', id)).stdout).toMatch(/you can +retry/);
    const { stdout } = await holdfast('jobs', 'retry', id);
    const [, again = ''] = /^job (\S+), a rerun of job \S+: pending$/m.exec(stdout) ?? [];
    expect((await holdfast('jobs', 'show', again)).stdout).toMatch(new RegExp(`rerun of +job ${id}`));
  });

  test('the list can be cut to when jobs were locked last', async () => {
    const { id } = await queue.claimedOne();
    await queue.passSeconds(7200);
    const listed = async (...flags: string[]) =>
      JSON.parse((await holdfast('jobs', 'list', '--json', ...flags)).stdout).map(
        (job: { id: string }) => job.id,
      );
    expect(await listed('--locked-after', '3h', '--locked-before', '1h')).toEqual([id]);
    expect(await listed('--locked-after', '1h')).toEqual([]);
    expect(await listed('--locked-before', '2020-01-01')).toEqual([]);
    expect((await holdfast('jobs', 'list', '--locked-after', 'later')).exit).toBe(2);
  });

  test('a crawl tells what became of its pages, and offers to retry them only when some failed or were skipped', async () => {
    const { id } = await queue.enqueueOne();
    await queue.pool.query(`UPDATE crawl_jobs SET status = 'completed', completed_at = now() WHERE id = $1`, [
      id,
    ]);
    await queue.pool.query(
      `INSERT INTO crawl_states (job_id, fetched, failed, skipped, total_pending, total_processed)
       VALUES ($1, 12, 0, 0, 3, 12)`,
      [id],
    );
    const { stdout } = await holdfast('jobs', 'show', id);
    expect(stdout).toMatch(/pages +12 fetched, 0 failed, 0 skipped, 3 pending\n/);
    expect(stdout).toMatch(/result +npx holdfast pages list/);
    expect(stdout).not.toContain('retry-urls');
    expect(stdout).not.toMatch(/^waits/m);
    for (const change of ['skipped = 1', 'failed = 2']) {
      await queue.pool.query(`UPDATE crawl_states SET ${change}`);
      expect((await holdfast('jobs', 'show', id)).stdout).toMatch(/you can +.*retry-urls/);
    }
    expect(JSON.parse((await holdfast('jobs', 'show', id, '--json')).stdout)).toMatchObject({
      crawl: { fetched: 12, failed: 2, skipped: 1, total_pending: 3 },
      result: null,
    });
  });

  test('a crawl tells what it left out, and that sitemaps alone are nothing to retry', async () => {
    const { id } = await queue.enqueueOne();
    await queue.pool.query(`UPDATE crawl_jobs SET status = 'completed', completed_at = now() WHERE id = $1`, [
      id,
    ]);
    await queue.pool.query(
      `INSERT INTO crawl_states (job_id, fetched, skipped, not_crawled, off_scope)
       VALUES ($1, 12, 1, 3, '{"too_deep": 4, "off_host": 9}')`,
      [id],
    );
    await queue.pool.query(
      `INSERT INTO crawl_pages (job_id, page_no, url_hash, url, kind, depth, attempts, outcome, reason, fetched_at)
       VALUES ($1, 1, gen_random_uuid(), 'https://example.com/llms.txt', 'sitemap', 0, 1, 'skipped', 'absent', now())`,
      [id],
    );
    const { stdout } = await holdfast('jobs', 'show', id);
    expect(stdout).toMatch(/pages +.*, 3 left out by a limit\n/);
    expect(stdout).toMatch(/off scope +9 off_host, 4 too_deep\n/);
    expect(stdout).toMatch(/you can +delete\n/);
    expect((await holdfast('jobs', 'pause', id)).stderr).toContain(
      `It is finished: delete it (\`npx holdfast jobs delete ${id}\`), or create a new job.`,
    );
    expect(JSON.parse((await holdfast('jobs', 'show', id, '--json')).stdout).allowed_actions).toEqual([]);
  });

  test('a crawl whose pages are tried again is not at 100 % while they wait', async () => {
    const { id } = await queue.enqueueOne();
    await queue.pool.query(
      `UPDATE crawl_jobs SET status = 'completed', completed_at = now(), progress_percentage = 100 WHERE id = $1`,
      [id],
    );
    await queue.pool.query(`INSERT INTO crawl_states (job_id, fetched, failed) VALUES ($1, 12, 1)`, [id]);
    await queue.pool.query(
      `INSERT INTO crawl_pages (job_id, page_no, url_hash, url, kind, depth, attempts, outcome, reason, fetched_at)
       VALUES ($1, 1, gen_random_uuid(), 'https://example.com/x', 'page', 0, 1, 'failed', 'site_error', now())`,
      [id],
    );
    await holdfast('jobs', 'retry-urls', id);
    expect((await holdfast('jobs', 'show', id)).stdout).toMatch(/progress +99 %\npages .*1 pending/);
  });

  test('a job that a sick worker gave back has no error, and names that worker', async () => {
    const job = await queue.claimedOne();
    await failStarts(queue.pool, [job], {
      workerId: 'w1',
      detail: 'exit code 1',
      heartbeatSeconds: 10,
      wasWell: true,
    });
    const given = (await holdfast('jobs', 'show', job.id)).stdout;
    expect(given).toMatch(
      /last run +.* on worker w1; no retry was lost, and it continues by itself\..*holdfast doctor/,
    );
    expect(given).not.toMatch(/^(error|advice)/m);
    await queue.pool.query(`UPDATE crawl_jobs SET status = 'processing', worker_id = 'w2', fence = fence + 1,
      lease_seconds = 60, lease_expires_at = now() + interval '1 min', started_at = now(), last_heartbeat = now()`);
    const running = (await holdfast('jobs', 'show', job.id)).stdout;
    expect(running).toMatch(/last run +.* on worker w1; .* it runs on w2 now/);
    expect(running).not.toMatch(/^(error|advice)/m);
  });

  test('a job that failed before its first request points to the doctor and to its retry', async () => {
    const { id } = await queue.enqueueOne();
    await queue.pool.query(
      `UPDATE crawl_jobs SET status = 'failed', completed_at = now(), error_code = 'runner_crashed',
         error_message = 'The runner process died' WHERE id = $1`,
      [id],
    );
    expect((await holdfast('jobs', 'show', id)).stdout).toMatch(
      new RegExp(`advice +Run npx holdfast doctor .*npx holdfast jobs retry ${id}`),
    );
  });

  test('a visit tells what it brought, and where that is', async () => {
    const { id } = await queue.enqueueOne({ kind: 'visit' });
    await queue.pool.query(
      `INSERT INTO crawl_results (job_id, user_id, url, price, currency, in_stock, title, actor)
       VALUES ($1, 'local', 'https://shop.example/', 19.990, 'EUR', true, 'Kettle', 'bot:b')`,
      [id],
    );
    expect((await holdfast('jobs', 'show', id)).stdout).toMatch(
      new RegExp(`result +19\\.990 EUR, in stock, Kettle \\(npx holdfast results list --job ${id}\\)`),
    );
    expect(JSON.parse((await holdfast('results', 'list', '--job', id, '--json')).stdout)).toHaveLength(1);
  });

  test('the list says what failed jobs failed with', async () => {
    const job = await queue.claimedOne();
    await failJobs(queue.pool, [{ ...job, error: new HoldfastError('run_failed', 'it broke') }], actor);
    expect((await holdfast('jobs', 'list', '--status', 'failed')).stdout).toMatch(
      new RegExp(`RETRIES  REASON .*\\n${job.id}  .*  run_failed: The run failed`),
    );
  });

  test('a job that was expired by request says so in the list, and by whom and why in its own view', async () => {
    const job = await queue.claimedOne();
    await holdfast('jobs', 'expire', job.id, '--reason', 'it hangs');
    expect((await holdfast('jobs', 'list')).stdout).toMatch(/expired +0 +0 % +0\/3 +expired_by_request: /);
    const shown = (await holdfast('jobs', 'show', job.id)).stdout;
    expect(shown).toMatch(
      /error +expired_by_request: An operator ended the job's lease \(user:.+\): it hangs\n/,
    );
    expect(shown).toMatch(/advice +Retry the job to continue/);
    await holdfast('jobs', 'retry', job.id);
    expect((await holdfast('jobs', 'list')).stdout).not.toContain('expired');
  });

  test('a collection names its item and its source', async () => {
    await holdfast('sources', 'set', 'sales');
    const { id } = await queue.enqueueOne({
      kind: 'collect',
      payload: { intake_id: nobody, title: '1881 Morgan Dollar' },
      source_id: 'sales',
    });
    expect((await holdfast('jobs', 'list')).stdout).toMatch(
      /URL OR ITEM\n.*collect .* 1881 Morgan Dollar · sales\n/,
    );
    expect((await holdfast('jobs', 'show', id)).stdout).toMatch(/item +1881 Morgan Dollar\nsource +sales\n/);
  });

  test('the same command with an idempotency key adds nothing the second time', async () => {
    const command = ['jobs', 'create', 'visit', 'https://example.com/', '--idempotency-key', 'once'];
    const first = await holdfast(...command);
    const [id] = first.stdout.match(/[0-9a-f-]{36}/) ?? [];
    expect((await holdfast(...command)).stdout).toBe(`job ${id} already exists (repeated)\n`);
  });

  test('pausing a running job waits for its holder to let go', async () => {
    const job = await queue.claimedOne();
    const pausing = holdfast('jobs', 'pause', job.id);
    while ((await renewLeases(queue.pool, [job])).get(job) !== 'pause');
    await releaseJobs(queue.pool, [{ ...job, reason: 'asked to pause' }], actor);
    expect((await pausing).stdout).toBe(`job ${job.id}: paused\n`);
  });

  test('a retry says that it drops the time for which the job was scheduled', async () => {
    const { id } = await queue.enqueueOne({ run_at: '2090-01-01T00:00:00Z' });
    await holdfast('jobs', 'cancel', id);
    expect((await holdfast('jobs', 'retry', id)).stdout).toBe(
      `job ${id}: pending, runs now; its scheduled start at 2090-01-01T00:00:00.000Z is dropped\n`,
    );
  });

  test('a holder that does not answer in time is named, and the request stands', async () => {
    const job = await queue.claimedOne();
    const { stdout, exit } = await holdfast('jobs', 'cancel', job.id);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('asked to cancel; w1 releases it')]);
  });

  test.each<[string, string[], number, RegExp]>([
    [
      'a URL that is none',
      ['create', 'crawl', 'nonsense'],
      2,
      /the URL must be an absolute http or https URL/,
    ],
    ['no URL', ['create', 'crawl'], 2, /the URL is missing\n.*holdfast jobs create crawl https:/],
    [
      'an option that is misspelt',
      ['create', 'crawl', 'https://a.example', '--payload', '{"max_dept": 2}'],
      2,
      /max_dept in --payload is not a known field: did you mean max_depth\?/,
    ],
    [
      'a payload that is no object',
      ['create', 'crawl', 'https://a.example', '--payload', '[1]'],
      2,
      /JSON object/,
    ],
    [
      'a priority that is no number',
      ['create', 'crawl', 'https://a.example', '--priority', 'x'],
      2,
      /whole number/,
    ],
    ['a kind nobody knows', ['create', 'swim'], 2, /Allowed choices are crawl, visit, collect/],
    ['a status nobody knows', ['list', '--status', 'asleep'], 2, /Allowed choices are pending/],
    ['a limit of 0', ['list', '--limit', '0'], 2, /--limit must be at least 1\n/],
    ['an unknown command', ['dance'], 2, /unknown command/],
    ['an unknown option', ['list', '--colour'], 2, /unknown option/],
    ['a job that is not there', ['show', nobody], 3, /Job not found/],
    ['an id that is none', ['pause', 'x'], 3, /Job not found: x\n.*is a UUID/],
  ])('%s gets a clear error and its exit code', async (_, args, exit, message) => {
    const outcome = await holdfast('jobs', ...args);
    expect(outcome.exit).toBe(exit);
    expect(outcome.stderr).toMatch(/^holdfast: /);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toMatch(/ {4}at /);
  });

  test('help tells every field that a crawl may have', async () => {
    const { stdout } = await holdfast('jobs', 'create', '--help');
    for (const field of Object.keys(crawlOptions.shape))
      expect(stdout).toMatch(new RegExp(`^  ${field} `, 'm'));
    expect(stdout).toContain('minimum time between requests of this job to a host');
  });

  test('one impossible action of several does not keep the others from being done', async () => {
    const { id } = await queue.enqueueOne();
    const outcome = await holdfast('jobs', 'pause', nobody, id);
    expect(outcome).toMatchObject({ exit: 3, stdout: `job ${id}: paused\n` });
  });

  test('an error names actions as they are typed', async () => {
    const { id } = await queue.enqueueOne();
    const { stderr } = await holdfast('jobs', 'reset-lock', id);
    expect(stderr).toContain(`reset-lock of job ${id}, which is pending`);
    const held = await queue.claimedOne();
    expect((await holdfast('jobs', 'resume', held.id)).stderr).toMatch(/Allowed now: .*reset-lock/);
  });

  test('errors are JSON for programs', async () => {
    const { exit, stderr } = await holdfast('jobs', 'show', nobody, '--json');
    expect([exit, JSON.parse(stderr).error]).toEqual([3, 'job_not_found']);
  });

  test('control characters in stored text do not reach the terminal', async () => {
    const { id } = await queue.enqueueOne({ payload: { url: 'https://example.com/', note: 'x' } });
    await queue.pool.query('UPDATE crawl_jobs SET error_code = $1, error_message = $2', [
      'x',
      'a\u001b[31mb',
    ]);
    expect((await holdfast('jobs', 'show', id)).stdout).toContain('a\\x1b[31mb');
  });
});
