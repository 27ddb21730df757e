import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

const sentence =
  'This is a sentence of the text, long enough, with a comma or two, to read as prose of its own. ';
const text = `<p>${sentence.repeat(4)}</p>`;
const markdown = (body: string) =>
  extractPage(`<body>${body}</body>`, 'https://example.com/', { markdown: true }).content?.markdown ?? '';
const inArticle = (part: string) => markdown(`<main><h1>Title</h1>${text}${part}${text}</main>`);

describe('a name alone removes nothing', () => {
  test.each([
    ['a heading', '<h2 class="anchorWithStickyNavbar_x" id="related">Kept</h2><p>Below it.</p>'],
    ['what a heading says', '<h2><a class="toc-backref" href="#id1">Kept</a></h2><p>Below it.</p>'],
    [
      'a section with a heading and text',
      '<section class="newsletter"><h2>Kept</h2><p>A line of text that is read.</p></section>',
    ],
    ['code', '<div class="sidebar"><pre>Kept</pre></div>'],
    [
      'a section whose id is the slug of its heading',
      `<section id="cookies"><h2>Cookies</h2><p>Kept, ${sentence}</p><button>Copy</button></section>`,
    ],
    [
      'a word that is part of another',
      `<div id="plperl-trusted"><p>Kept, ${sentence}</p><button>Copy</button></div>`,
    ],
    [
      'an identifier of an interface',
      '<dl><dt id="http.cookies.Morsel">http.cookies.Morsel(Kept)</dt><dd>A line.</dd></dl>',
    ],
  ])('%s', (_, part) => {
    expect(inArticle(part)).toContain('Kept');
  });

  test('what holds the headline and most of the text', () => {
    expect(markdown(`<div class="sidebar modal"><h1>Kept</h1>${text}</div><p>Imprint</p>`)).toContain(
      '# Kept',
    );
  });

  test('a note in the text, whatever its role', () => {
    expect(inArticle('<aside><p>Kept as a note.</p></aside>')).toContain('Kept as a note.');
    expect(inArticle('<div role="alert"><p>Kept as a warning.</p></div>')).toContain('Kept as a warning.');
  });
});

describe('a name and a second reason remove', () => {
  test.each([
    [
      'what leads away',
      `<div class="related"><h3>Gone</h3><ul>${'<li><a href="/x">Another story of today</a></li>'.repeat(3)}</ul></div>`,
    ],
    [
      'what asks for something',
      `<div class="newsletter"><p>Gone, ${sentence}</p><form><input><button>Go</button></form></div>`,
    ],
    ['a small part', '<p class="byline">Gone</p>'],
    ['a cookie dialog', `<div id="cookie-banner"><p>Gone, ${sentence.repeat(9)}</p></div>`],
  ])('%s', (_, part) => {
    expect(inArticle(part)).not.toContain('Gone');
  });
});

describe('the content', () => {
  test('takes in the sections beside the heaviest', () => {
    const found = markdown(
      `<div class="page"><div><h1>Command</h1><p>What it does.</p></div><div><h2>Synopsis</h2><pre>command [file]</pre></div>
       <div><h2>Description</h2>${text}${text}</div></div><div>Imprint</div>`,
    );
    for (const part of ['# Command', '## Synopsis', 'command [file]', '## Description'])
      expect(found).toContain(part);
  });

  test('is the article, not the longer discussion below it', () => {
    const comment = `<li><p>Comment: ${sentence.repeat(3)}</p></li>`;
    const found = markdown(
      `<div class="post"><h1>Title</h1><div class="entry-content"><p>Article: ${sentence.repeat(4)}</p></div></div>
       <div id="comments"><h2>Comments</h2><ol>${comment.repeat(9)}</ol></div>`,
    );
    expect(found).toContain('Article:');
    expect(found).not.toContain('Comment:');
  });
});
