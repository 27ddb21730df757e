import { crawlOptions } from '@holdfast/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allLinks, followedLinks, storedLines } from '../../pages/stored/page-links.ts';
import { growthOf, isLinear } from '../../pages/stored/testing/growth.ts';
import { extractProduct } from '../../shop/products/extract-product.ts';
import type { ExtractedPage, MainContent } from '../../web/html/extracted-page.ts';
import { blogPost, docsPage } from '../../web/html/testing/sample-pages.ts';
import { readBody, shownText, unfollowed } from './read-body.ts';

const options = {
  markdown: false,
  store_html: false,
  sort_query: false,
  keep_tracking: false,
  keep_sessions: false,
};
const read = (html: string) => readBody('https://example.com/a/b', 'text/html', Buffer.from(html), options);
const lines = ({ page }: ReturnType<typeof read>) => storedLines(page.content.links as Buffer);

describe('the links of a page', () => {
  test('are also where a refresh leads, from the base of the page, unless the page asks not to follow them', () => {
    const refresh = '<base href="/docs/"><meta http-equiv="refresh" content="0; url=start">';
    expect(read(refresh).links).toEqual(['https://example.com/docs/start']);
    const forbidden = read(`${refresh}<meta name="robots" content="nofollow">`);
    expect(forbidden.links).toEqual([]);
    expect(allLinks(lines(forbidden))).toEqual(['https://example.com/docs/start']);
  });

  test('are kept, and none of them followed, as if the page itself had asked for it', () => {
    const links = '<a href="/1">1</a><a href="/2">2</a>';
    const asked = read(`<meta name="robots" content="nofollow">${links}`);
    const made = unfollowed(read(links));
    expect(made.links).toEqual([]);
    expect(made.page.content.links).toEqual(asked.page.content.links);
    expect(followedLinks(lines(made))).toEqual([]);
    const some = unfollowed(read(`${links}<a rel="nofollow" href="/3">3</a>`));
    expect(allLinks(lines(some)).map((link) => link.at(-1))).toEqual(['1', '2', '3']);
    const none = read('<p>Text.</p>');
    expect(unfollowed(none)).toBe(none);
  });
});

const of = (markdown: string) =>
  shownText({ title: null, headings: [] } as unknown as ExtractedPage, { markdown } as MainContent).slice(2);

test.each([
  ['![a](https://x/i.png?sig=1)', '![a](https://x/i.png)'],
  [
    '[![a \\] b](https://x/i.png?v=1) go](https://x/?page=2)',
    '[![a \\] b](https://x/i.png) go](https://x/?page=2)',
  ],
  ['[a](https://x/?page=2)', '[a](https://x/?page=2)'],
  ['![a](https://x/i_(1).png?sig=1)', '![a](https://x/i_(1).png?sig=1)'],
  ['Really?! [yes](https://x/?a)', 'Really?! [yes](https://x/?a)'],
])('of %s, %s is compared', (markdown, compared) => {
  expect(of(markdown)).toBe(compared);
});

test.each(['![', '![](', '![a](b?', '![a\\]', '!\\[', '![](?', '![a](b?c) '])(
  'the time for repeated %j grows with its length and no faster',
  (piece) => {
    const inputOf = (size: number) => piece.repeat(size / piece.length);
    expect(growthOf(inputOf, of, 800_000)).toSatisfy(isLinear);
  },
);

const url = 'https://site.example/a/b';
const crawl = crawlOptions.parse({ url, store_html: true });
const runs = process.env.HOLDFAST_TEST_FULL === '1' ? 20_000 : 1_000;
const samples = [blogPost, docsPage];

const digits = fc.integer({ min: 1, max: 500 });
/** What tokenizers and decoders of HTML trip over. */
const soup = fc.oneof(
  fc.constantFrom(
    '<', '>', '</', '/>', '<!--', '-->', '--!>', '<!', '<?', '<![CDATA[', ']]>', '&', ';', '="', "='", '"', "'", '=', '\0', ' ',
    '\n', '\u00a0', '\ufeff', '\ud800', '\udc00', '\u{1f517}', '<p>', '</p>', '<table><tr><td colspan=9>', '</table>', '<svg>',
    '<math><mi>', '<template>', '<noscript>', '<a href="', '<base href="//[', '<title>', '</title>', '<h1>', '<ul><li>', '<pre>\n',
    '<code>`', '<script type="application/ld+json">', '</script>', '{"@type":', '"\\ud800"', '[[[', '}', '<meta property="og:title" content="',
    '<div itemscope itemprop="a b">', '<i itemscope itemref="x">', '<span id=x itemprop=price>', '1.234,56 €', '$', '<br>', '&nbsp;', '&lt', '&amp;#',
    '&notit;', '&#xd800;', '&#0;', '&#x110000;', '&CounterClockwiseContourIntegral;', '<meta charset="utf-16le">', '<plaintext>', '<xmp>',
    '<meta http-equiv=refresh content="0;url=', '|', '](', '![', '**', '\\',
  ),
  digits.map((count) => `&#${'0'.repeat(count)}65;`),
  digits.map((count) => `&#x${'0'.repeat(count)}41;`),
  digits.map((count) => `&#${'9'.repeat(count)};`),
  digits.map((count) => `&#x${'f'.repeat(count)}`),
  fc.string({ unit: 'binary', maxLength: 20 }),
); // biome-ignore format: a list of words

const mutated = fc
  .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(6_000), fc.nat(200), soup), { maxLength: 12 }))
  .map(([page, edits]) =>
    edits.reduce((html, [at, cut, put]) => html.slice(0, at) + put + html.slice(at + cut), page),
  );

const bytes = fc.oneof(
  { weight: 3, arbitrary: fc.array(soup, { maxLength: 60 }).map((words) => Buffer.from(words.join(''))) },
  { weight: 2, arbitrary: mutated.map((html) => Buffer.from(html)) },
  { weight: 1, arbitrary: mutated.map((html) => Buffer.from(html, 'utf16le')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((some) => Buffer.from(some)) },
);
const contentType = fc.constantFrom(
  undefined, 'text/html', 'text/html; charset=shift_jis', 'text/html; charset=x-user-defined', 'text/html; charset=nonsense',
  'application/xhtml+xml', 'text/plain', 'text/plain; charset=utf-16be',
); // biome-ignore format: a list of words

/** Every text in it, names of fields too. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return;
  for (const [name, part] of Object.entries(value)) {
    yield name;
    yield* textsOf(part);
  }
}

const storable = (text: string) => text.isWellFormed() && !text.includes('\0');

describe('whatever a site sends', () => {
  test('is read, and what is read of it can be stored', () => {
    fc.assert(
      fc.property(bytes, contentType, (body, type) => {
        const { page, links } = readBody(url, type, body, crawl);
        expect([...textsOf(page), ...links].filter((text) => !storable(text))).toEqual([]);
        expect(links.filter((link) => !URL.canParse(link))).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  test('is looked through for a product', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        extractProduct(body.toString('utf8'), url);
      }),
      { numRuns: runs / 2 },
    );
  });

  test.each([
    ['decimal', `&#${'0'.repeat(260)}65;`],
    ['hexadecimal', `&#x${'0'.repeat(260)}41;`],
  ])('may have a %s reference of hundreds of digits', (_, reference) => {
    const html = `<title>${reference}</title><p>${`${reference}${reference} `.repeat(40)}</p><a title="${reference}" href="/${reference}">x</a>`;
    const { page, links } = readBody(url, 'text/html', Buffer.from(html), crawl);
    expect(page).toMatchObject({ title: 'A', word_count: 41 });
    expect(links).toEqual(['https://site.example/A']);
  });
});
