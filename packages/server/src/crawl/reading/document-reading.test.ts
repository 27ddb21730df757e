import { deflateSync } from 'node:zlib';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../../../test/bundle-program.ts';
import { streamObject, writePdf, writeRawPdf } from '../../web/documents/testing/write-pdf.ts';
import { DocumentReading, type DocumentReadingOptions } from './document-reading.ts';

let program = '';
let reading: DocumentReading | undefined;

beforeAll(async () => {
  program = await bundleProgram('packages/server/src/crawl/reading/document-program.ts');
});
afterEach(() => reading?.close());

function open(given: Partial<DocumentReadingOptions> = {}): DocumentReading {
  reading = new DocumentReading({ program, ...given });
  return reading;
}

const plain = (text: string) => writePdf({ pages: [{ texts: [{ text, y: 80 }] }] });

/** 256 MB of blanks in 256 KB, or once more deflated in one. */
const blanks = Buffer.alloc(256 * 1024 * 1024, ' ');
const once = () => deflateSync(blanks, { level: 1 });

test.each([
  ['inflates without end', () => writeRawPdf(once(), '/FlateDecode')],
  ['inflates twice', () => writeRawPdf(deflateSync(once()), '[/FlateDecode /FlateDecode]')],
])('a document that %s fails within its memory, and its neighbours are read', async (_, bomb) => {
  const reading = open({ memoryMb: 64 });
  const file = bomb();
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  const reads = [plain('Before.'), file, plain('After.')].map((body) => reading.read(body));
  const [first, second, third] = await Promise.allSettled(reads);
  clearInterval(watch);
  expect(first).toMatchObject({ value: { markdown: expect.stringContaining('Before.') } });
  expect(second).toMatchObject({
    reason: { code: 'page_unreadable', message: expect.stringMatching(/memory/) },
  });
  expect(third).toMatchObject({ value: { markdown: expect.stringContaining('After.') } });
  // The thread itself takes some 70 MB.
  expect(most / 1024 / 1024).toBeLessThan(250);
});

test('a document whose forms draw each other a billion times takes no longer than it may', async () => {
  const reading = open({ deadlineMs: 8_000 });
  const draw = (name: string) => Buffer.from(`/${name} Do\n`.repeat(10));
  const forms = Array.from({ length: 9 }, (_, level) => {
    const resources = `/Resources << /XObject << /F ${11 + level} 0 R >> >>`;
    return streamObject(draw('F'), `/Type /XObject /Subtype /Form /BBox [0 0 9 9] ${resources}`);
  });
  forms.push(
    streamObject(Buffer.from('BT /B 9 Tf (x) Tj ET'), '/Type /XObject /Subtype /Form /BBox [0 0 9 9]'),
  );
  const laughs = writeRawPdf(deflateSync(draw('F')), '/FlateDecode', '/XObject << /F 10 0 R >>', forms);
  const [bomb, after] = await Promise.allSettled([reading.read(laughs), reading.read(plain('After.'))]);
  expect(bomb).toMatchObject({ status: 'rejected', reason: { code: 'page_unreadable' } });
  expect(after).toMatchObject({ value: { markdown: expect.stringContaining('After.') } });
});

test('a document of 500 pages is read whole', async () => {
  const line = 'Words and more words that fill a line of the page from one margin to the other. ';
  const pages = Array.from({ length: 500 }, (_, n) => ({
    texts: Array.from({ length: 10 }, (_, at) => ({ text: `${n + 1} ${at} ${line}`, y: 80 + 12 * at })),
  }));
  const document = await open({ deadlineMs: 240_000 }).read(writePdf({ title: 'Long', pages }));
  expect(document).toMatchObject({ title: 'Long', pages: 500, pagesRead: 500, isTruncated: false });
  expect(document.markdown).toContain('500 9 Words');
});

test('a thread with nothing to do ends, and starts again', async () => {
  const reading = open({ idleMs: 0 });
  for (const text of ['One.', 'Two.']) {
    expect((await reading.read(plain(text))).markdown).toContain(text);
    await new Promise((resolve) => setTimeout(resolve));
  }
});
