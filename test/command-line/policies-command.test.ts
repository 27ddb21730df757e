import { describe, expect, test, vi } from 'vitest';
import { listEvents } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { createDueJobs } from '../../packages/server/src/queue/policies/scheduler.ts';
import { PolicyFixture, scheduler } from '../../packages/server/src/queue/policies/testing/policy-fixture.ts';
import { WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { runHoldfast } from './run-holdfast.ts';
import { startTreeSite } from './tree-site.ts';

const policies = new PolicyFixture();
const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: policies.url });
// Each command is a process of its own: seconds, on a busy machine.
vi.setConfig({ testTimeout: 90_000 });
const nobody = '00000000-0000-7000-8000-000000000000';

describe('holdfast policies', () => {
  test('an empty list teaches how to get the first policy, and help how to go on', async () => {
    const { exit, stdout } = await holdfast('policies', 'list');
    expect([exit, stdout]).toEqual([
      0,
      'No policies yet. Create one: npx holdfast policies create crawl https://example.com --frequency 7d\n',
    ]);
    const help = await holdfast('policies', '--help');
    expect(help.stdout).toContain('holdfast policies run ID');
  });

  test('a policy can be created, changed, switched, run and deleted', async () => {
    const created = await holdfast(
      ...['policies', 'create', 'crawl', 'https://example.com', '--frequency', '7d', '--priority', '5'],
      ...['--options', '{"max_depth": 2}', '--next-run-at', '2100-01-01T00:00:00Z'],
    );
    expect(created.stdout).toMatch(/^created policy \S+; next run: in \d+ d\n$/);
    const [id = ''] = created.stdout.match(/[0-9a-f-]{36}/) ?? [];
    expect((await holdfast('policies', 'list', '--enabled')).stdout).toMatch(
      new RegExp(`${id}  crawl  1 w +5  enabled  in \\d+ d +0  https://example.com/`),
    );
    expect((await holdfast('policies', 'list', '--disabled')).stdout).toBe('No matching policies.\n');

    const updated = await holdfast('policies', 'update', id, '--frequency', '12h', '--json');
    expect(JSON.parse(updated.stdout)).toMatchObject({
      id,
      frequency_hours: 12,
      priority: 5,
      options: { max_depth: 2 },
    });
    expect((await holdfast('policies', 'disable', id)).stdout).toBe(`policy ${id}: disabled\n`);
    expect(await holdfast('policies', 'run', id)).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('The policy is disabled'),
    });
    expect((await holdfast('policies', 'enable', id)).stdout).toMatch(/: enabled; next run: in \d+ h\n$/);
    expect((await holdfast('policies', 'run', id)).stdout).toBe(
      `policy ${id}: due now; a scheduler creates its job at once\n`,
    );

    const [job] = await createDueJobs(policies.pool, scheduler);
    expect((await holdfast('policies', 'run', id)).stdout).toBe(
      `policy ${id}: its job ${job?.job_id} is already live\n`,
    );
    const { stdout } = await holdfast('policies', 'show', id);
    expect(stdout).toMatch(/every +12 h\n/);
    expect(stdout).toMatch(/next run +after its live job/);
    expect(stdout).toMatch(new RegExp(`live job +${job?.job_id}`));
    expect(stdout).toMatch(/deadline +none/);
    expect((await holdfast('policies', 'delete', nobody, id)).stdout).toBe(
      `policy ${id}: deleted; its job ${job?.job_id} runs to its end\n`,
    );
    expect((await holdfast('policies', 'show', id)).exit).toBe(3);
  });

  test.each<[string, string[], number, RegExp]>([
    [
      'a URL that is none',
      ['create', 'crawl', 'nonsense'],
      2,
      /the URL must be an absolute http or https URL/,
    ],
    [
      'a frequency nobody knows',
      ['create', 'crawl', 'https://a.example', '--frequency', 'daily'],
      2,
      /30min, 6h/,
    ],
    [
      'options that are no object',
      ['create', 'crawl', 'https://a.example', '--options', '[]'],
      2,
      /JSON object/,
    ],
    [
      'a deadline that is none',
      ['create', 'visit', 'https://a.example', '--timeout-minutes', 'soon'],
      2,
      /or none/,
    ],
    [
      'an option out of bounds',
      ['create', 'crawl', 'https://a.example', '--options', '{"max_depth":-1}'],
      2,
      /max_depth of --options/,
    ],
    [
      'an option that is misspelt',
      ['create', 'crawl', 'https://a.example', '--options', '{"max_dept": 2}'],
      2,
      /max_dept of --options is not a known field/,
    ],
    ['nothing to change', ['update', nobody], 2, /at least one field/],
    ['a policy that is not there', ['show', nobody], 3, /Policy not found/],
    ['two filters that contradict', ['list', '--enabled', '--disabled'], 2, /cannot be used with/],
  ])('%s gets a clear error and its exit code', async (_, args, exit, message) => {
    const outcome = await holdfast('policies', ...args);
    expect([outcome.exit, outcome.stdout]).toEqual([exit, '']);
    expect(outcome.stderr).toMatch(/^holdfast: /);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toMatch(/ {4}at /);
  });

  test('a second policy of the same kind and URL is refused, and names the first', async () => {
    const { id } = await policies.create({ url: 'https://example.com/' });
    const outcome = await holdfast('policies', 'create', 'crawl', 'https://EXAMPLE.com', '--json');
    expect(outcome.exit).toBe(4);
    expect(JSON.parse(outcome.stderr)).toMatchObject({
      error: 'policy_exists',
      message: expect.stringContaining(id),
    });
  });
});

describe('holdfast create-jobs-from-policies', () => {
  test('makes the jobs that are due, says which, and makes none the second time', async () => {
    const { id, url } = await policies.create();
    const first = await holdfast('create-jobs-from-policies');
    expect(first.stdout).toMatch(new RegExp(`^Created 1 job:\nJOB .*\n\\S+  ${id}  \\S+  ${url}\n$`));
    const [jobId = ''] = first.stdout.match(/[0-9a-f-]{36}/) ?? [];
    expect((await listEvents(policies.pool, jobId))[0]?.actor).toMatch(/^scheduler:/);
    expect((await holdfast('create-jobs-from-policies')).stdout).toBe('No policy is due.\n');
    expect((await holdfast('create-jobs-from-policies', '--json')).stdout).toBe('[]\n');
  });
});

describe('holdfast expire-locks', () => {
  test('ends the leases that ran out, says which, and ends none the second time', async () => {
    const job = await policies.claimedOne();
    expect((await holdfast('expire-locks')).stdout).toBe('No lease has expired.\n');
    await policies.passSeconds(121);
    const { stdout } = await holdfast('expire-locks');
    expect(stdout).toMatch(new RegExp(`^Ended 1 lease:\nJOB .*\n${job.id}  pending  1/3 +w1\n$`));
    expect((await holdfast('expire-locks')).stdout).toBe('No lease has expired.\n');
    expect((await listEvents(policies.pool, job.id)).at(-1)).toMatchObject({
      transition: 'recover',
      actor: expect.stringMatching(/^watchdog:/),
    });
  });
});

test('a worker makes and runs the job of a policy as soon as it is created, and sets its next run', async () => {
  const site = await startTreeSite(3);
  // The scheduler's own time does not come in this test: being told of the policy must do.
  const worker = new WorkerProcess(policies.url, {
    HOLDFAST_ALLOW_PRIVATE: site.origin,
    HOLDFAST_SCHEDULER_SECONDS: '3600',
  });
  try {
    await worker.saying(/is ready/);
    const { stdout } = await holdfast(
      'policies',
      'create',
      'crawl',
      `${site.origin}/`,
      '--frequency',
      '2h',
      '--json',
    );
    const { id } = JSON.parse(stdout);
    await vi.waitUntil(async () => (await policies.find(id)).last_success_at, {
      timeout: 20_000,
      interval: 50,
    });
    expect(await policies.find(id)).toMatchObject({ failure_count: 0, live_job_id: null });
    expect(await policies.secondsToNextRun(id)).toBeCloseTo(7200, -2);
    expect(site.timesAsked().size).toBe(3);
  } finally {
    await worker.end('SIGTERM');
    await site.close();
  }
});
