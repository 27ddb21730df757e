import { describe, expect, test } from 'vitest';
import { type PdfPageContent, type PdfText, writePdf } from '../testing/write-pdf.ts';
import { readPdf } from './read-pdf.ts';

const read = (file: Buffer, readingMs = 60_000) =>
  readPdf(new Uint8Array(file), { readingMs, maxPages: 100, isOverBudget: () => false });

const paragraph = (y: number, ...lines: string[]): PdfText[] =>
  lines.map((text, at) => ({ text, y: y + 12 * at }));

const onePage = (...texts: PdfText[]): PdfPageContent[] => [{ texts }];

describe('the markdown of a PDF', () => {
  test('has a heading for each larger size, and whole paragraphs', async () => {
    const { markdown, title, headings } = await read(
      writePdf({
        pages: onePage(
          { text: 'Field Guide', y: 60, size: 24, font: 'bold' },
          { text: 'Herons', y: 100, size: 16, font: 'bold' },
          ...paragraph(
            130,
            'The heron stands in the water for hours, and waits for the fish that',
            'come close enough. It seldom misses.',
          ),
          ...paragraph(
            180,
            'Another paragraph begins after a gap, and this one is long enough to be',
            'told apart from the first.',
          ),
        ),
      }),
    );
    expect(title).toBe('Field Guide');
    expect(headings).toEqual([
      { level: 2, text: 'Field Guide' },
      { level: 3, text: 'Herons' },
    ]);
    expect(markdown).toContain(
      '### Herons\n\nThe heron stands in the water for hours, and waits for the fish that come close enough.',
    );
    expect(markdown).toContain('seldom misses.\n\nAnother paragraph');
  });

  test('takes title and levels from what the file says about itself', async () => {
    const { markdown } = await read(
      writePdf({
        title: 'The Manual',
        outline: ['1 Start', '2 End'],
        pages: onePage(
          { text: '1 Start', y: 60, size: 10, font: 'bold' },
          ...paragraph(80, 'Some text of the first chapter that is set in the size of the heading.'),
          { text: '2 End', y: 120, size: 10, font: 'bold' },
          ...paragraph(140, 'Some text of the second chapter, with no more to say than the first had.'),
        ),
      }),
    );
    expect(markdown.replace(/<a.*?a>\n\n/g, '')).toMatch(
      /^# The Manual\n\n## 1 Start\n\nSome text .*\n\n## 2 End\n\nSome text/,
    );
  });

  test('makes words whole that a line broke, and leaves those with a hyphen of their own', async () => {
    const { markdown } = await read(
      writePdf({
        pages: onePage(
          ...paragraph(
            80,
            'A well-known rule says that a docu-',
            'ment without words is empty, which is a well-',
            'known fact about every such document.',
          ),
        ),
      }),
    );
    expect(markdown).toContain('that a document without words is empty, which is a well-known fact');
  });

  test('has lists, code with its columns, and links with their targets', async () => {
    const url = 'https://example.com/a_(b)';
    const { markdown, links } = await read(
      writePdf({
        pages: [
          {
            texts: [
              ...paragraph(60, 'See the manual for more about it, which is a long line of ordinary text.'),
              { text: '- first point, which goes on for so long that it does not fit in one', y: 90, x: 90 },
              { text: 'line of the list', y: 102, x: 98 },
              { text: '- second point', y: 118, x: 90 },
              { text: 'if (x) {', y: 150, font: 'code' },
              { text: 'return 1;', y: 162, x: 84, font: 'code' },
              { text: '}', y: 174, font: 'code' },
            ],
            links: [{ url, box: [72, 50, 128, 63] }],
          },
        ],
      }),
    );
    expect(links).toEqual([url]);
    expect(markdown).toContain('[See the manual](https://example.com/a_%28b%29) for more');
    expect(markdown).toContain(
      '- first point, which goes on for so long that it does not fit in one line of the list\n- second point',
    );
    expect(markdown).toContain('```\nif (x) {\n  return 1;\n}\n```');
  });

  test('names its pages, without their headers, footers and numbers', async () => {
    const pages = [1, 2, 3, 4].map((number) => ({
      texts: [
        { text: 'The Journal of Ponds', y: 30, size: 8 },
        ...paragraph(
          80,
          `Page ${number} tells what happened to the pond in summer number ${number}, at some`,
          'length, and ends with a full stop.',
        ),
        { text: `- ${number} -`, y: 760, x: 300, size: 8 },
      ],
    }));
    const { markdown, pages: count } = await read(writePdf({ pages }));
    expect(count).toBe(4);
    expect(markdown).toContain('<a id="page-3"></a>\n\nPage 3 tells');
    expect(markdown).not.toMatch(/Journal|- \d -/);
  });

  test('joins a sentence that goes on to the next page', async () => {
    const { markdown } = await read(
      writePdf({
        pages: [
          { texts: paragraph(80, 'The sentence begins on the first page of the document and does not') },
          { texts: paragraph(80, 'end before the second one, as often happens in books.') },
        ],
      }),
    );
    expect(markdown).toContain('document and does not end before the second one');
    expect(markdown).toContain('<a id="page-2"></a>');
  });

  test('holds nothing that its text could turn into markup', async () => {
    const { markdown } = await read(
      writePdf({
        pages: onePage(...paragraph(80, '# not a heading, <script>alert(1)</script> and [a](javascript:b)')),
      }),
    );
    expect(markdown).toContain('\\# not a heading, \\<script>alert(1)\\</script> and [a\\](javascript:b)');
  });
});

describe('a PDF', () => {
  test('that needs a password is encrypted', async () => {
    const file = writePdf({ pages: onePage(...paragraph(80, 'secret')), isEncrypted: true });
    await expect(read(file)).rejects.toMatchObject({ code: 'document_encrypted' });
  });

  test.each([
    ['is none', Buffer.from('%PDF-1.4 and then nothing of the kind')],
    ['is empty', Buffer.from('%PDF-1.4')],
    ['broke off', writePdf({ pages: onePage({ text: 'No end', y: 80 }) }).subarray(0, -300)],
  ])('that %s is damaged', async (_, file) => {
    await expect(read(file)).rejects.toMatchObject({ code: 'document_damaged' });
  });

  test('whose index is wrong is read all the same', async () => {
    const file = writePdf({ pages: onePage(...paragraph(80, 'This is what the page says.')) }).toString(
      'latin1',
    );
    const { markdown } = await read(Buffer.from(file.replace(/startxref\n\d+/, 'startxref\n7'), 'latin1'));
    expect(markdown).toContain('This is what the page says.');
  });

  test('that takes too long keeps the pages that were read', async () => {
    const pages = Array.from({ length: 50 }, (_, n) => ({
      texts: paragraph(80, `This is what page ${n + 1} says.`),
    }));
    const document = await read(writePdf({ pages }), 0);
    expect(document).toMatchObject({ pages: 50, pagesRead: 1 });
    expect(document.markdown).toContain('page 1 says');
  });

  test('without text has none', async () => {
    expect(await read(writePdf({ title: 'A scan', pages: onePage() }))).toMatchObject({
      markdown: '',
      wordCount: 0,
      title: 'A scan',
    });
  });
});
