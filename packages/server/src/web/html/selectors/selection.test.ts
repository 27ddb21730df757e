import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';
import { selectorsOf } from './selector.ts';

const page = `<html><head><title>Page</title></head><body class="theme">
<header id="top"><p>Top line</p></header>
<main><h1>Heading</h1>
<article class="post featured"><p>First post, with words enough to count as prose, as it were.</p><div class="ad box"><p>Buy this</p></div></article>
<article class="post"><p>Second post, with words enough to count as prose, as it were.</p></article>
<section data-testid="price"><span>9 EUR</span></section>
<p>Loose end</p></main>
<footer><p>Imprint</p></footer></body></html>`;

function markdown(include: string[], exclude: string[] = [], html = page): string {
  const { content } = extractPage(html, 'https://example.com/', {
    markdown: true,
    selectors: selectorsOf(include, exclude),
  });
  return content?.markdown ?? '';
}

describe('an included part is kept whole, and nothing else', () => {
  test.each([
    ['#top', /^Top line$/],
    ['header', /^Top line$/],
    ['.featured', /^First post.*\n\nBuy this$/],
    ['article.post:not(.featured)', /^Second post/],
    ['main > article', /^First post[\s\S]*Second post[^.]*as it were\.$/],
    ['body.theme footer p', /^Imprint$/],
    ['article + article', /^Second post/],
    ['h1 ~ section', /^9 EUR$/],
    ['[data-testid=price] > span', /^9 EUR$/],
    ['[class~="ad"], footer', /^Buy this\n\nImprint$/],
    ['[class^="post f"]', /^First post/],
    ['p:is(.a, main > p)', /^Loose end$/],
    ['.nothing', /^$/],
  ])('%s', (selector, expected) => {
    expect(markdown([selector])).toMatch(expected);
  });

  test('parts within parts come once, in page order', () => {
    expect(markdown(['footer', 'main', 'article'])).toMatch(
      /^# Heading\n\nFirst post[\s\S]*Loose end\n\nImprint$/,
    );
  });
});

test('an excluded part is left out, of the main content and of what is included', () => {
  expect(markdown([], ['article:not(.featured)', '.ad'])).not.toMatch(/Second|Buy/);
  expect(markdown([], ['article:not(.featured)', '.ad'])).toMatch(/First post/);
  expect(markdown(['article'], ['.ad'])).toMatch(/^First post[\s\S]*Second post/);
  expect(markdown(['article'], ['.ad'])).not.toMatch(/Buy/);
  expect(markdown([], ['h1'])).not.toContain('Heading');
});

test('without selectors a page is read as ever', () => {
  expect(selectorsOf([], [])).toBeUndefined();
});

test.each([
  ['p:first-child', /:first-child is not supported/],
  ['p::before', /not supported/],
  ['[onclick]', /the attribute onclick is not supported/],
  ['p >', /cannot be used/],
  ['p[', /cannot be used/],
  [Array.from({ length: 30 }, () => 'p').join(' '), /more than 20 parts/],
])('the selector %s is refused with the reason', (selector, reason) => {
  expect(() => selectorsOf([selector])).toThrow(reason);
});

test('long selectors take time in proportion to the page', () => {
  const deep = `${'<div class="a">'.repeat(200)}text${'</div>'.repeat(200)}`;
  const html = `<main>${deep.repeat(20)}${'<i>x</i>'.repeat(20_000)}</main>`;
  const chain = (piece: string, by: string) => Array.from({ length: 18 }, () => piece).join(by);
  expect(
    markdown(
      [`.missing ${chain('div', ' ')}`, `.missing ~ ${chain('i', ' ~ ')}`],
      [`.missing ${chain('.a', ' ')} i`],
      html,
    ),
  ).toBe('');
});

test('the content is written as HTML with elements, links and images alone', () => {
  const html = `<main><h1 onclick="x()">A &amp; B</h1><p class="lead" style="color:red">Read <a href="/more" onclick="y()">more &lt;here&gt;</a>,
    which is long enough to be prose.</p><script>alert(1)</script><img src="/i.png" alt="An &quot;image&quot;" onerror="z()"><nav><a href="/">Home</a></nav>
    <table><tr><td colspan="2">Cell</td></tr></table></main>`;
  const { content, images } = extractPage(html, 'https://example.com/', {
    markdown: true,
    cleanHtml: true,
    imageLinks: true,
  });
  expect(images).toEqual(['https://example.com/i.png']);
  expect(content?.html?.replace(/\s+/g, ' ')).toBe(
    '<main><h1>A &amp; B</h1><p>Read <a href="https://example.com/more">more &lt;here&gt;</a>, which is long enough to be prose.</p><img src="https://example.com/i.png" alt="An &quot;image&quot;"><table><tr><td colspan="2">Cell</td></tr></table></main>',
  );
});
