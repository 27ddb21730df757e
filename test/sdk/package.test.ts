import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { visit } from '../bot-fixture/bot-fixture.ts';
import { unpackPackage } from '../packaging/unpack-package.ts';
import { crawlLane } from '../queue-fixture/queue-fixture.ts';
import { readmeExamples } from './readme-examples.ts';
import { SdkFixture } from './sdk-fixture.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));
const fixture = new SdkFixture();
beforeEach(() => fixture.pool.query('TRUNCATE crawl_jobs, job_events, crawl_states'));

/** The package as others get it: packed, and unpacked into the node_modules of a program of theirs. */
beforeAll(async () => {
  await run(process.execPath, [join(root, 'packages/sdk/build.mjs'), join(folder, 'built')]);
  await unpackPackage(join(folder, 'built'), folder, '@holdfast/sdk');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package holds one program with its types, and needs no other package', async () => {
  const packed = JSON.parse(readFileSync(join(folder, 'node_modules/@holdfast/sdk/package.json'), 'utf8'));
  expect(packed).toMatchObject({ name: '@holdfast/sdk', type: 'module' });
  for (const kind of ['dependencies', 'peerDependencies', 'devDependencies', 'scripts'])
    expect(packed).not.toHaveProperty(kind);
  const program = readFileSync(join(folder, 'node_modules/@holdfast/sdk/index.js'), 'utf8');
  expect(program).not.toMatch(/^\s*import\b|\bfrom\s*["']/m);
});

test('the examples of the README have the right types', async () => {
  const examples = readmeExamples();
  for (const [index, { source }] of examples.entries()) writeFileSync(join(folder, `${index}.ts`), source);
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'ES2023',
    module: 'nodenext',
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*.ts'] }),
  );
  const compiler = join(root, 'node_modules/.bin/tsc');
  await run(compiler, ['-p', folder]).catch(({ stdout }) => expect(stdout).toBe(''));
  // So that a package without types would not pass.
  writeFileSync(
    join(folder, 'wrong.ts'),
    `import { Holdfast } from '@holdfast/sdk';\nnew Holdfast({ baseUrl: 1 });\n`,
  );
  await expect(run(compiler, ['-p', folder])).rejects.toMatchObject({
    stdout: expect.stringContaining('wrong.ts'),
  });
  rmSync(join(folder, 'wrong.ts'));
}, 120_000);

describe('the examples of the README run', () => {
  /** Completes crawls and sells at a price, while the example runs. */
  async function perform(name: string): Promise<string> {
    const example = readmeExamples().find((one) => one.name === name);
    if (!example) throw new Error(`the README has no example "${name}"`);
    const program = join(folder, 'example.mjs');
    const bundle = await rolldown({
      input: { example: 'virtual' },
      external: ['@holdfast/sdk'],
      plugins: [
        {
          name: 'example',
          resolveId: (id) => (id === 'virtual' ? '/example.ts' : null),
          load: (id) => (id === '/example.ts' ? example.source : null),
        },
      ],
    });
    await bundle.write({ file: program, format: 'esm' });
    await bundle.close();
    const env = {
      PATH: process.env.PATH,
      HOLDFAST_URL: fixture.api.address,
      HOLDFAST_KEY: await fixture.api.key(),
      HOLDFAST_BOT_TOKEN: await fixture.api.key({ scopes: ['bots'], bot_id: 'bot-001' }),
    };
    const started = run(process.execPath, [program], { env, cwd: folder, timeout: 60_000 });
    let isRunning = true;
    const ended = started.finally(() => {
      isRunning = false;
    });
    let isTold = false;
    // Once: a second signal would end it at once.
    const stopWhenSold = async () => {
      if (isTold) return;
      const { rows } = await fixture.pool.query(
        `SELECT FROM crawl_jobs WHERE kind = 'visit' AND status = 'completed'`,
      );
      isTold = rows.length > 0;
      if (isTold) started.child.kill('SIGTERM');
    };
    const work = (async () => {
      while (isRunning) {
        const jobs = await claimJobs(fixture.pool, { lanes: [crawlLane], limit: 10, workerId: 'w1' });
        if (jobs.length > 0) await completeJobs(fixture.pool, jobs, 'supervisor:w1');
        await stopWhenSold();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const { stdout } = await ended;
    await work;
    return stdout;
  }

  test('a crawl to its end', async () => {
    expect(await perform('Crawl a site')).toMatch(/^0 pages, 0 to go\n.*^completed/ms);
  });

  test('lists', async () => {
    expect(await perform('Lists')).toMatch(/^2 2 null$/m);
  });

  test('live events', async () => {
    const heard = await perform('Live events');
    expect(heard).toMatch(/enqueue pending\n.*claim processing\n.*complete completed\n/s);
  });

  test('errors', async () => {
    const told = await perform('Errors');
    expect(told).toMatch(/^bad_request .*http or https.* [\w-]{8,}$/m);
  });

  test('a bot', async () => {
    const shop = createServer((_request, response) => response.end('<b data-price="1299.90">1.299,90 €</b>'));
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = shop.address() as AddressInfo;
      await enqueueJob(fixture.pool, visit(`http://127.0.0.1:${port}/1`));
      expect(await perform('Bots')).toMatch(/pulled: 1, succeeded: 1, failed: 0, lost: 0/);
      const { rows } = await fixture.pool.query('SELECT price::text AS price, currency FROM crawl_results');
      expect(rows).toEqual([{ price: '1299.90', currency: 'EUR' }]);
    } finally {
      shop.close();
    }
  });
});

test('the SDK runs where there is nothing but what browsers have', async () => {
  const bundle = await rolldown({ input: join(root, 'packages/sdk/src/index.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'sdk' });
  await bundle.close();
  const browser = createContext({
    ...{ fetch, Headers, AbortController, URLSearchParams, TextDecoder, crypto, performance },
    ...{ setTimeout, clearTimeout, baseUrl: fixture.line.address, apiKey: await fixture.api.key() },
  });
  const { job, events } = await runInContext(
    `${output[0].code}
    (async () => {
      const holdfast = new sdk.Holdfast({ baseUrl, apiKey });
      const job = await holdfast.jobs.create({ kind: 'visit', executor: 'bot', payload: { url: 'https://a.example/' } });
      const events = [];
      for await (const message of holdfast.jobs.stream(job.id)) {
        if (message.type !== 'transition') continue;
        events.push(message.data.transition);
        if (message.data.to_status === 'cancelled') break;
        await holdfast.jobs.cancel(job.id);
      }
      return { job: await holdfast.waitFor(job), events };
    })()`,
    browser,
  );
  expect(job).toMatchObject({ status: 'cancelled', url: 'https://a.example/' });
  expect([...events]).toEqual(['enqueue', 'cancel']);
});
