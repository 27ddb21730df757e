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

test.each([
  ['a file that is not there', () => join(folder, 'none.html'), /none\.html does not exist\n +Pass a URL/],
  ['a directory', () => folder, /is a directory\n +Pass a URL/],
  ['a picture', () => picture(), /is neither text nor PDF\n +HTML, PDF, markdown/],
  ['an address that is none', () => 'https://', /cannot be fetched: it is not an absolute URL/],
])('%s is refused with what to do', async (_, given, message) => {
  expect(await runHoldfast(['extract', given()], {})).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
});

test('a page without text and one that is cut off say so', async () => {
  const [empty, large] = [join(folder, 'empty.html'), join(folder, 'large.html')];
  writeFileSync(empty, '');
  writeFileSync(large, `<h1>Ports</h1>${`<p>${sentence}</p>`.repeat(30_000)}`);
  expect((await runHoldfast(['extract', empty], {})).stderr).toContain('The page has no text.');
  const { stdout, stderr } = await runHoldfast(['extract', large], {});
  expect(stdout.length).toBeGreaterThan(1_900_000);
  expect(stderr).toContain('is cut off');
});

function picture(): string {
  const file = join(folder, 'picture.png');
  writeFileSync(file, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  return file;
}
