import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { documentExamples } from '../bot-fixture/document-examples.ts';
import { awaitUp } from '../command-line/await-up.ts';
import { runHoldfast, startHoldfast } from '../command-line/run-holdfast.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { shellBlocks } from '../docs/shell-blocks.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
/** As document 004 prints it. */
const documentJob = '550e8400-e29b-41d4-a716-446655440000';
const page = 'docs/source-documents.md';
const printed = shellBlocks(page, 'console').flatMap(({ commands }) => commands);
const start = printed.find((command) => command.endsWith('holdfast up')) ?? '';
const curls = printed.filter((command) => command.startsWith('curl '));

let database: TestDatabase;
let up: ChildProcess;
let address = '';

beforeAll(async () => {
  database = await createTestDatabase();
  // The settings of the page; but for the port, which others may have.
  const [, settings = ''] = /^((?:\w+=\S+ )+)npx holdfast up$/.exec(start) ?? [];
  const env = Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .map((pair) => pair.split('=')),
  );
  up = startHoldfast(['up'], {
    ...env,
    HOLDFAST_PORT: '0',
    DATABASE_URL: database.url,
    MAX_CONCURRENT_JOBS: '0',
    MAX_CONCURRENT_VISITS: '0',
  });
  ({ address } = await awaitUp(up, /^ {2}(Ctrl-C) stops it/));
});
afterAll(async () => {
  if (up?.exitCode === null) {
    up.kill('SIGTERM');
    await once(up, 'exit');
  }
  await database?.drop();
});
beforeEach(async () => {
  for (const table of ['crawl_results', 'bot_submissions', 'job_events', 'crawl_jobs', 'crawl_policies'])
    await database.pool.query(`DELETE FROM ${table}`);
});

/** The job of the document under its own id, of a policy that runs daily. */
async function prepare(): Promise<void> {
  const url = 'https://example.com/product/123';
  const payload = { url };
  const { job } = await enqueueJob(database.pool, {
    ...{ kind: 'visit', executor: 'bot', priority: 10, timeout_seconds: 600, payload },
  });
  const { rows } = await database.pool.query(
    `INSERT INTO crawl_policies (kind, url, executor, frequency_hours, timeout_minutes, next_run_at)
     VALUES ('visit', $1, 'bot', 24, 10, now() + interval '1 day') RETURNING id`,
    [url],
  );
  await database.pool.query('UPDATE crawl_jobs SET id = $1, policy_id = $2 WHERE id = $3', [
    ...[documentJob, rows[0].id, job.id],
  ]);
  await database.pool.query('UPDATE job_events SET job_id = $1 WHERE job_id = $2', [documentJob, job.id]);
}

/** A command as it stands, in a shell; at the port that this test was given. */
async function type(command: string): Promise<unknown> {
  const here = command.replace('localhost:8000', `localhost:${new URL(address).port}`);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${here} -s`]);
  return JSON.parse(stdout);
}

test('the page prints the commands of the document, and starts Holdfast at their port without keys', () => {
  expect(start).toBe('HOLDFAST_PORT=8000 HOLDFAST_KEYLESS=loopback npx holdfast up');
  expect(curls).toEqual(
    documentExamples.map(
      ({ url, headers, body }) =>
        `curl -X POST http://localhost:8000${url} \\\n${Object.entries(headers)
          .map(([name, value]) => `  -H "${name}: ${value}" \\\n`)
          .join('')}  -d '${body}'`,
    ),
  );
});

describe.skipIf(!hasCurl)('the commands of document 004 run as printed', () => {
  const [pull = '', done = '', failed = ''] = curls;
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const [pulled, submitted, retried] = documentExamples.map(({ answer }) => answer);

  test('a pull and a success', async () => {
    await prepare();
    const [job] = (pulled?.data.jobs ?? []) as object[];
    expect(await type(pull)).toEqual({
      success: true,
      data: { ...pulled?.data, jobs: [{ ...job, locked_until: time, lease_token: expect.any(String) }] },
    });
    expect(await type(done)).toEqual({
      success: true,
      data: { ...submitted?.data, result_id: expect.any(String), policy_next_run: time },
    });
  });

  test('a failure with a retry', async () => {
    await prepare();
    await type(pull);
    expect(await type(failed)).toEqual(retried);
  });
});

describe('without a key, as document 001 has it', () => {
  test('a crawl of a knowledge item can be asked for and followed, with /api and without', async () => {
    for (const prefix of ['', '/api']) {
      const made = await fetch(`${address}${prefix}/knowledge-items/crawl`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url: `https://example.com/docs${prefix}` }),
      });
      const { success, job_id, progressId } = (await made.json()) as Record<string, unknown>;
      expect([made.status, success, job_id]).toEqual([200, true, progressId]);
      const progress = await fetch(`${address}${prefix}/crawl-progress/${job_id}`);
      expect(progress.status).toBe(200);
    }
  });
});

describe('the management commands of document 004', () => {
  const manage = (name: string) => runHoldfast([name], { DATABASE_URL: database.url });

  test('create_jobs_from_policies makes the job of a policy that is due, and none twice', async () => {
    await database.pool.query(
      `INSERT INTO crawl_policies (kind, url, executor, frequency_hours, timeout_minutes, next_run_at)
       VALUES ('visit', 'https://example.com/', 'bot', 24, 10, now() - interval '1 minute')`,
    );
    // The scheduler of `up` may be faster; between them they make one.
    expect((await manage('create_jobs_from_policies')).exit).toBe(0);
    expect(await manage('create_jobs_from_policies')).toMatchObject({
      exit: 0,
      stdout: 'No policy is due.\n',
    });
    const { rows } = await database.pool.query('SELECT status FROM crawl_jobs');
    expect(rows).toEqual([{ status: 'pending' }]);
  });

  test('expire_locks ends a lock that ran out, and none twice', async () => {
    await prepare();
    await fetch(`${address}/api/crawl/pull/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bot_id: 'bot-001' }),
    });
    await database.pool.query(`UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 minute'`);
    expect((await manage('expire_locks')).exit).toBe(0);
    expect(await manage('expire_locks')).toMatchObject({ exit: 0, stdout: 'No lease has expired.\n' });
    const { rows } = await database.pool.query('SELECT status, retry_count FROM crawl_jobs');
    expect(rows).toEqual([{ status: 'pending', retry_count: 1 }]);
  });
});
