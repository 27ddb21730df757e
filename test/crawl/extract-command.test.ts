import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writePdf } from '../../packages/server/src/web/documents/testing/write-pdf.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-extract-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sentence = 'This is a sentence of the text, long enough, with a comma or two, to read as prose. ';
const page = `<title>Pools</title><nav><a href="/">Home</a></nav><main><h1>Pools</h1><p>${sentence.repeat(4)}</p>
  <div class="share"><a href="/s">Share it</a></div></main><footer>Imprint</footer>`;

test('a file is printed as markdown, with what was left out and why', async () => {
  const file = join(folder, 'page.html');
  writeFileSync(file, page);
  const plain = await runHoldfast(['extract', file], {});
  expect(plain).toMatchObject({ exit: 0, stdout: `# Pools\n\n${sentence.repeat(4).trim()}\n` });
  const { exit, stdout, stderr } = await runHoldfast(['extract', file, '--explain'], {});
  expect(exit).toBe(0);
  expect(stdout).toBe(plain.stdout);
  expect(stderr).toMatch(/Kept \d+ of \d+ visible words \(\d+ %\)/);
  expect(stderr).toMatch(/nav, 1 word, navigation by its element or role: Home/);
  expect(stderr).toMatch(/div, 2 words, named as boilerplate, confirmed by its content: Share it/);
  const full = await runHoldfast(['extract', file, '--content', 'full', '--json'], {});
  expect(JSON.parse(full.stdout)).toMatchObject({ title: 'Pools', left_out: [], kept_percent: 100 });
  expect(JSON.parse(full.stdout).markdown).toMatch(/Home.*Imprint/s);
});

test('a URL is fetched once, under the same guard as a crawl', async () => {
  const site = await TestSite.start({
    pages: 0,
    answer: (path, response) => {
      if (path !== '/pools') return false;
      response.setHeader('content-type', 'text/html').end(page);
      return true;
    },
  });
  try {
    const refused = await runHoldfast(['extract', `${site.origin}/pools`], {});
    expect(refused.exit).not.toBe(0);
    expect(refused.stderr).toContain('--allow-private');
    const allowed = await runHoldfast(
      ['extract', `${site.origin}/pools`, '--allow-private', site.origin],
      {},
    );
    expect(allowed).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^# Pools\n/) });
  } finally {
    await site.stop();
  }
});

test('a PDF, plain text and markdown are read as a crawl reads them', async () => {
  const [pdf, notes] = [join(folder, 'manual.pdf'), join(folder, 'notes.md')];
  writeFileSync(
    pdf,
    writePdf({ title: 'The Manual', pages: [{ texts: [{ text: 'How to begin.', y: 80 }] }] }),
  );
  writeFileSync(notes, '# Notes\n\nAs *they* are.\n');
  const { exit, stdout } = await runHoldfast(['extract', pdf, '--json'], {});
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'The Manual', pages: 1, words: 3 });
  expect(JSON.parse(stdout).markdown).toBe('# The Manual\n\n<a id="page-1"></a>\n\nHow to begin.');
  expect((await runHoldfast(['extract', notes], {})).stdout).toBe('# Notes\n\nAs *they* are.\n\n');
  writeFileSync(pdf, '%PDF-1.4 but no more');
  const broken = await runHoldfast(['extract', pdf], {});
  expect(broken).toMatchObject({ exit: 1, stderr: expect.stringContaining('The document is damaged') });
});

test('what is neither a URL nor a file is refused with what to give', async () => {
  const { exit, stderr } = await runHoldfast(['extract', join(folder, 'missing.html')], {});
  expect(exit).not.toBe(0);
  expect(stderr).toMatch(/missing\.html cannot be read: ENOENT[\s\S]*Give a URL/);
});
