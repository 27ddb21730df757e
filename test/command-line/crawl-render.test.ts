import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { runHoldfast } from './run-holdfast.ts';

const program = await browserForTests();
const text = 'with plenty of words that fill a page as pages are filled '.repeat(10);
const app = `<!DOCTYPE html><title>App</title><body><div id="root"></div><script>
  document.getElementById('root').innerHTML = '<main><h1>Shown</h1><p>${text}</p></main>';</script></body>`;

let database: TestDatabase;
let site: LocalSite;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  site = await startSite((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(app);
  });
});
afterAll(async () => {
  await site.close();
  await database.drop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-crawl-render-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: string[], env: Record<string, string> = {}) =>
  runHoldfast(args, { DATABASE_URL: database.url, ...env }, folder);
const crawl = (path: string, flags: string[], env: Record<string, string> = {}) => {
  const fixed = ['--allow-private', site.origin, '--strategy', 'single', '--no-discover'];
  return run(['crawl', `${site.origin}${path}`, ...fixed, ...flags], env);
};
const pngOf = (file: string) => readFileSync(file).subarray(1, 4).toString();

describe('holdfast crawl without a browser', () => {
  const env = { HOLDFAST_BROWSER: '/nonexistent/chromium' };

  test('says how many pages may need one, and how to get it', async () => {
    const { exit, stdout } = await crawl('/none', [], env);
    expect(exit).toBe(0);
    expect(stdout).toContain(
      '1 page may need JavaScript and was stored as the server sent it: there is no browser.',
    );
    expect(stdout).toContain('HOLDFAST_BROWSER is /nonexistent/chromium, which cannot be run.');
    const never = await crawl('/never', ['--render', 'never'], env);
    expect(never.stdout).not.toContain('JavaScript');
  });

  test('refuses at once what only a browser can do', async () => {
    const { exit, stderr } = await crawl('/refused', ['--screenshot'], env);
    expect([exit, stderr]).toEqual([5, expect.stringContaining('there is no browser')]);
  });
});

describe.skipIf(!program)('holdfast crawl with a browser', { timeout: 60_000 }, () => {
  test('writes screenshots beside the pages, and saves one by its URL', async () => {
    const { exit } = await crawl('/app', ['--screenshot', '--format', 'md', '--out', 'out/']);
    expect(exit).toBe(0);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([
      '.holdfast.json',
      '_contents.md',
      'app.md',
      'app.png',
    ]);
    expect(readFileSync(join(folder, 'out/app.md'), 'utf8')).toMatch(
      /\nrendered: true\nrender_reason: "screenshot"\nscreenshot: "app.png"\n[\s\S]*# Shown/,
    );
    const { stdout } = await run(['jobs', 'list', '--json']);
    const id = (JSON.parse(stdout) as { id: string; payload: { url: string } }[]).find(
      ({ payload }) => payload.url === `${site.origin}/app`,
    )?.id as string;
    const saved = await run(['pages', 'screenshot', id, `${site.origin}/app`, '--out', 'one.png']);
    expect(saved).toMatchObject({ exit: 0, stderr: expect.stringMatching(/written to one\.png/) });
    expect(pngOf(join(folder, 'one.png'))).toBe('PNG');
    const again = await run(['pages', 'screenshot', id, `${site.origin}/app`, '--out', 'one.png']);
    expect(again).toMatchObject({ exit: 2, stderr: expect.stringContaining('--overwrite') });
    const listed = await run(['pages', 'list', id, '--rendered']);
    expect(listed.stdout).toContain('browser (screenshot)');
    expect((await run(['export', id, '--out', 'pages.jsonl'])).exit).toBe(0);
    const [line] = readFileSync(join(folder, 'pages.jsonl'), 'utf8').split('\n');
    const { screenshot } = JSON.parse(line as string) as { screenshot: string };
    expect(pngOf(join(folder, 'pages.jsonl.screenshots', screenshot))).toBe('PNG');
  });
});
