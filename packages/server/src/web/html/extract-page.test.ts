import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractPage } from './extract-page.ts';
import { limits } from './limits.ts';

const url = 'https://example.com/docs/page';
const read = (html: string) => extractPage(html, url, { markdown: false });

describe('links', () => {
  test('are given as written, once, with entities decoded', () => {
    const { links } = read(
      '<a href="/a?x=1&amp;y=2">1</a><A HREF=/b>2</A><a href=" /a?x=1&y=2 ">3</a><map><area href="c"></map><a>4</a>',
    );
    expect(links.map(({ href }) => href)).toEqual(['/a?x=1&y=2', '/b', 'c']);
  });

  test('that lead to no page are left out', () => {
    const html = ['#top', 'javascript:void(0)', 'mailto:a@b.c', 'tel:1', 'data:,x', '', ' '].map(
      (h) => `<a href="${h}">x</a>`,
    );
    expect(read(html.join('')).links).toEqual([]);
  });

  test('are followable if one of their occurrences is', () => {
    const { links } = read(
      '<a rel="nofollow noopener" href=/a></a><a rel=nofollow href=/b></a><a href=/b></a>',
    );
    expect(links).toEqual([
      { href: '/a', nofollow: true },
      { href: '/b', nofollow: false },
    ]);
  });

  test('are found in noscript and frames, not in comments, scripts and templates', () => {
    const { links } = read(
      '<noscript><a href=/1></a></noscript><iframe src=/2><a href=/no></a></iframe><!-- <a href=/no> --><script>"<a href=/no>"</script><template><a href=/no></a></template>',
    );
    expect(links.map(({ href }) => href)).toEqual(['/1', '/2']);
  });

  test('are found in a refresh, but not in one for browsers without scripts or in a template', () => {
    const { links } = read(
      `<meta http-equiv=refresh content="30"><META HTTP-EQUIV=Refresh CONTENT="5; URL='next page'"><noscript><meta http-equiv=refresh content="0;url=/no"></noscript>
      <template><meta http-equiv=refresh content="0;url=/no"></template><meta http-equiv=refresh content="0;url=/no"><a href=/b></a>`,
    );
    expect(links).toEqual([
      { href: 'next page', nofollow: false },
      { href: '/b', nofollow: false },
    ]);
    expect(read('<meta http-equiv=refresh content="0; url=javascript:go()">').links).toEqual([]);
  });

  test('are at most fifty thousand, and the others are counted', () => {
    const html = Array.from({ length: limits.links + 5 }, (_, i) => `<a href="/${i}">x</a>`).join('');
    const { links, leftOut } = read(html);
    expect(links).toHaveLength(limits.links);
    expect(leftOut).toEqual({ page_limit: 5 });
  });
});

describe('metadata', () => {
  test('is read from title, meta and link elements, with the whitespace of a reader', () => {
    const page = read(`<html lang=" de_AT "><head><title>
      Fish &amp;   chips </title><meta name="Description" content=" Two
      lines "><link rel="alternate canonical" href="../x#y"></head>`);
    expect(page).toMatchObject({
      title: 'Fish & chips',
      description: 'Two lines',
      language: 'de-AT',
      canonical: 'https://example.com/x#y',
    });
  });

  test('falls back to OpenGraph and the first h1', () => {
    expect(
      read(
        '<meta property="og:description" content="d"><meta property="og:locale" content="fr_FR"><h1>H</h1>',
      ),
    ).toMatchObject({
      title: 'H',
      description: 'd',
      language: 'fr-FR',
    });
    expect(read('<meta name="og:title" content="T"><h1>H</h1>').title).toBe('T');
  });

  test('takes no title from an svg', () => {
    expect(read('<svg><title>Logo</title></svg><title>Page</title>').title).toBe('Page');
  });

  test('resolves against the first base', () => {
    const page = read('<base href="/other/"><base href="/no/"><link rel=canonical href=c>');
    expect(page.base).toBe('https://example.com/other/');
    expect(page.canonical).toBe('https://example.com/other/c');
  });

  test('obeys robots for everybody and for our own name', () => {
    const html =
      '<meta name=robots content="NOINDEX"><meta name=HoldfastBot content=nofollow><meta name=otherbot content=none>';
    expect(read(html).robots).toEqual({ noindex: true, nofollow: false });
    expect(extractPage(html, url, { markdown: false, botName: 'holdfastbot' }).robots).toEqual({
      noindex: true,
      nofollow: true,
    });
    expect(read('<meta name=robots content=none>').robots).toEqual({ noindex: true, nofollow: true });
  });

  test.each([
    ['0; url=/next', { seconds: 0, url: '/next' }],
    ["5;URL='/a b'", { seconds: 5, url: '/a b' }],
    ['3, /x', { seconds: 3, url: '/x' }],
    ['30', null],
  ])('reads the refresh %s', (content, refresh) => {
    expect(read(`<meta http-equiv="Refresh" content="${content}">`).refresh).toEqual(refresh);
  });

  test('ignores a refresh for browsers without scripts', () => {
    expect(read('<noscript><meta http-equiv=refresh content="0;url=/nojs"></noscript>').refresh).toBeNull();
  });

  test('lists headings with their levels', () => {
    expect(read('<h1>A <b>b</b></h1><h3>c<h2>d</h2><h4> </h4>').headings).toEqual([
      { level: 1, text: 'A b' },
      { level: 3, text: 'c' },
      { level: 2, text: 'd' },
    ]);
  });

  test('gives OpenGraph with the namespaces in use', () => {
    const { openGraph } = read(
      '<html prefix="my: http://my.example/"><meta property="og:title" content="t"><meta property="my:a" content="b"><meta property="fb:id" content="1">',
    );
    expect(openGraph).toEqual({
      namespace: { my: 'http://my.example/', og: 'http://ogp.me/ns#' },
      properties: [
        ['og:title', 't'],
        ['my:a', 'b'],
      ],
    });
  });
});

/** Everything that is stored, as PostgreSQL would have to take it. */
function expectStorable(page: unknown): void {
  const json = JSON.stringify(page);
  expect(json).not.toContain('\\u0000');
  expect(json).not.toMatch(/\\ud[89a-f]/i);
  expect(json.isWellFormed()).toBe(true);
}

describe('any input', () => {
  const pieces = [
    '<div>', '</div>', '<p>', '</p>', '<a href="/x">', '<a href=', '</a>', '<ul>', '<li>', '</ul>', '<table>', '<tr>', '<td>', '</td>', '</table>',
    '<b>', '</b>', '<i>', '</i>', '<pre>', '</pre>', '<code>', '</code>', '<h2>', '</h2>', '<br>', '<img src=x alt="]">', '<svg>', '</svg>', '<title>', '</title>',
    '<script type="application/ld+json">', '{"a":', '[1,', '}', '</script>', '<div itemscope itemprop=x itemref="i" id=i>', '<blockquote>', '</blockquote>',
    '<dl>', '<dt>', '<dd>', '&amp;', '&#0;', '&#xd800;', '\0', '\ud83d', '\ude00', '<!--', '-->', '<', '>', '"', '*a*', '_', '`', '|', 'word word. ', '\n', ' ',
    '<meta name=description content="', '<template>', '</template>', '<noscript>', '</noscript>', '<nav class="comments">', '</nav>', '<main>', '<article class=body>',
  ]; // biome-ignore format: a list of pieces

  test('is read without an error, into strings that the database can store', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 120 }),
        (parts) => {
          for (const markdown of [true, false])
            expectStorable(extractPage(parts.join(''), url, { markdown }));
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a million open divs', '<div>'.repeat(1_000_000)],
    ['ten million <', '<'.repeat(10_000_000)],
    ['a hundred thousand links in a line', '<a href=/x>y</a> '.repeat(100_000)],
    ['lists nested without end', '<ul><li>x'.repeat(100_000)],
    ['quotes nested without end', '<blockquote>x'.repeat(100_000)],
    ['tables nested without end', '<table><tr><td>x'.repeat(100_000)],
    ['end tags that close nothing', `<div><table><td>${'<b>'.repeat(1_000)}${'</div>'.repeat(200_000)}`],
    ['items nested without end', '<div itemscope itemprop=a>'.repeat(100_000)],
    ['JSON nested without end', `<script type="application/ld+json">${'['.repeat(900_000)}`],
    ['an attribute without end', `<a href="${'x>'.repeat(2_000_000)}`],
    ['NUL characters', '\0'.repeat(1_000_000)],
    ['halves of characters', '\ud800'.repeat(1_000_000)],
  ])('takes linear time: %s', (_name, html) => {
    const before = process.cpuUsage();
    const page = extractPage(html, url, { markdown: true });
    const { user, system } = process.cpuUsage(before);
    expectStorable({ ...page, links: page.links.slice(0, 10) });
    expect((user + system) / 1e6).toBeLessThan(10);
  });

  test('is cut at two million characters of markdown, and says so', () => {
    const { content } = extractPage(`<p>${'word '.repeat(600_000)}😀`, url, { markdown: true });
    expect(content?.truncated).toBe(true);
    expect(content?.markdown.length).toBeLessThanOrEqual(limits.markdownLength);
    expect(content?.markdown.startsWith('word word')).toBe(true);
  });
});
