import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';
import {
  blogPost,
  docsPage,
  forumThread,
  linkListPage,
  productPage,
  wikiPage,
} from '../testing/sample-pages.ts';

function contentOf(html: string) {
  const { content } = extractPage(html, 'https://example.com/docs/pools/', { markdown: true });
  if (content === null) throw new Error('no content');
  return content;
}

const sentence =
  'This is a sentence of the text, long enough, with a comma or two, to read as prose of its own. ';

describe('main content', () => {
  test('of documentation keeps code, tables and lists, and leaves the sidebars', () => {
    const { markdown, origin } = contentOf(docsPage);
    expect(origin).toBe('marked');
    expect(markdown).toBe(`# Connection pools

A pool keeps up to \`max\` connections open, see [the installation guide](https://example.com/docs/install/) for what they cost. It is **not** shared between *processes*.

## Sizing

Start with twice the number of cores:

\`\`\`js
const pool = createPool({
  max: 2 * cores,   // <= 100
});
\`\`\`

| Option | Default | Meaning |
| --- | --- | --- |
| \`max\` | 10 | Most connections \\| hard limit |
| \`idle\` | 30 s | Closed after this without use |

Note

Pools of one process do not see each other.

3. Open the pool.
4. Use it:
   - borrow
   - give back

borrow
: Takes a connection.

drain
: Waits until all are back.

## Next steps

Read on:

- [Transactions](https://example.com/docs/transactions/)
- [Errors](https://example.com/docs/errors/)
- [Tuning](https://example.com/docs/tuning/)`);
  });

  test('of a blog is the post under its headline, without sharing, comments and cookies', () => {
    const { markdown, text } = contentOf(blogPost);
    expect(markdown).toMatch(/^# Moving house\n\nLast week I moved/);
    expect(markdown).toContain(
      '![The rack](https://example.com/img/rack.jpg)\n\nThe rack, seen from the back',
    );
    expect(markdown).toMatch(/Tell me if it does not\.$/);
    // The running text has neither headline nor captions: it is what is hashed and searched.
    expect(text.split('\n')).toHaveLength(5);
    expect(text).not.toMatch(/The rack|Moving house|Congratulations|cookies/);
  });

  test('of a product is its name, picture, price and description', () => {
    const { markdown } = contentOf(productPage);
    expect(markdown).toMatch(/^# Wasserkocher K2\n\n!\[.*39,90 €.*2200 Watt\n- Kabel 75 cm$/s);
  });

  test('of a forum is every post', () => {
    const { text } = contentOf(forumThread);
    expect(text).toMatch(/grinding noise.*sounds like the bearing.*less than ten euros/s);
    expect(text).not.toContain('Rules');
  });

  test('of a wiki is the article with its box, without its edit links and contents', () => {
    const { markdown } = contentOf(wikiPage);
    expect(markdown).toContain('| Family | Ardeidae |');
    expect(markdown).toContain('\n\n## Description\n\nThey resemble');
    expect(markdown).not.toMatch(/edit|Contents|\[1\]|Main page/);
  });

  test('of a page of links is its links', () => {
    const { markdown, origin } = contentOf(linkListPage);
    expect(origin).toBe('page');
    expect(markdown).toBe(
      '# Archive\n\n- [Of ducks](https://example.com/2024/a)\n- [Of geese](https://example.com/2024/b)\n- [Of swans](https://example.com/2023/c)',
    );
  });

  test('of a page that is all navigation is that', () => {
    expect(contentOf('<nav><a href="/a">Apples</a> <a href="/b">Pears</a></nav>').text).toBe('Apples Pears');
  });

  test('of a short page is all it says', () => {
    expect(contentOf('<html><body><h1>Gone</h1><p>Not here.</p></body></html>').markdown).toBe(
      '# Gone\n\nNot here.',
    );
  });

  test('is the best of the blocks where nothing is marked', () => {
    const { text, origin } = contentOf(
      `<div><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul></div><div><div><p>${sentence}</p><p>${sentence}</p></div><div><a href=/x>${sentence}</a></div></div><div>Imprint</div>`,
    );
    expect(origin).toBe('scored');
    expect(text).toBe(`${sentence.trim()}\n${sentence.trim()}`);
  });

  test('of a text in several marked parts is all of them, without the cards beside it', () => {
    const { text } = contentOf(
      `<div class="chunks"><div class="article-body"><p>A ${sentence}</p></div><aside>ad</aside><div class="article-body"><p>B ${sentence}</p></div></div><article><a href=/x>Card</a></article>`,
    );
    expect(text).toBe(`A ${sentence.trim()}\nB ${sentence.trim()}`);
  });

  test('drops lists that only lead away, with the line that announces them, and keeps those that a colon introduces', () => {
    const list =
      '<ul><li><a href=/1>First story</a><li><a href=/2>Second story</a><li><a href=/3>Third story</a></ul>';
    const body = (between: string) =>
      `<article><p>${sentence.repeat(3)}</p>${between}<p>${sentence.repeat(3)}</p></article>`;
    expect(contentOf(body(`<h3>Related stories</h3>${list}`)).text).not.toMatch(/story|Related/);
    expect(contentOf(body(`<p>There are three kinds:</p>${list}`)).text).toContain('Second story');
  });

  test('of an index keeps the links that its main part lists, however long the text above them', () => {
    const links = [1, 2, 3, 4].map((n) => `<li><a href="/guides/${n}">Guide ${n}</a></li>`).join('');
    const { markdown } = contentOf(
      `<nav><a href=/>Home</a></nav><main><h1>Guides</h1><div><p>${sentence.repeat(4)}</p></div>
       <div class="list"><ul>${links}</ul></div><p><a href="/archive">Archive</a> <a href="/all">All guides</a></p>
       <h2>Related stories</h2><ul><li><a href=/x>Elsewhere</a></li></ul></main><footer>Imprint</footer>`,
    );
    for (const n of [1, 2, 3, 4])
      expect(markdown).toContain(`- [Guide ${n}](https://example.com/guides/${n})`);
    expect(markdown).toContain('[All guides](https://example.com/all)');
    expect(markdown).not.toMatch(/Home|Imprint|Elsewhere|Related/);
  });

  test('of an article keeps a list of links that has a heading of its own', () => {
    const { markdown } = contentOf(
      `<main><article><h1>Install</h1><p>${sentence.repeat(4)}</p>
       <h2>Next steps</h2><ul><li><a href=/a>Configure it</a><li><a href=/b>Run it</a><li><a href=/c>Watch it</a></ul>
       <ul><li><a href=/1>One more</a><li><a href=/2>Two more</a><li><a href=/3>Three more</a></ul></article></main>`,
    );
    expect(markdown).toMatch(/## Next steps\n\n- \[Configure it\]/);
    expect(markdown).not.toContain('One more');
  });

  test('keeps what is only said to be hidden or boilerplate if nothing else is there', () => {
    expect(
      contentOf(`<body><div class="sidebar-wrapper" style="display:none"><p>${sentence}</p></div></body>`)
        .text,
    ).toBe(sentence.trim());
  });

  test('counts words, and each character of Chinese', () => {
    expect(contentOf('<p>one two  three</p>').wordCount).toBe(3);
    expect(contentOf('<p>你好 world</p>').wordCount).toBe(3);
  });
});

describe('boilerplate', () => {
  test('about cookies goes even where it is longer than the page', () => {
    const { text } = contentOf(
      `<body><div id="CybotCookiebotDialog"><p>${sentence.repeat(9)}</p></div><div><h1>Lamp</h1><p>A lamp of brass, made by hand.</p></div></body>`,
    );
    expect(text).toBe('A lamp of brass, made by hand.');
  });

  test('is not what a page hides nearly all of', () => {
    const { text } = contentOf(`<p>Loading …</p><div id="app" aria-hidden="true"><p>${sentence}</p></div>`);
    expect(text).toContain(sentence.trim());
  });

  test('that is hidden goes', () => {
    const { text } = contentOf(`<p>${sentence}</p><p style="display: none">${sentence.toUpperCase()}</p>`);
    expect(text).toBe(sentence.trim());
  });
});
