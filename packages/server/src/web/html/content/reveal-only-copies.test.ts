import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

const sentence =
  'This is a sentence of the text, long enough, with a comma or two, to read as prose of its own. ';
const text = `<p>${sentence.repeat(4)}</p>`;
const answer = 'Returns are free within thirty days, and refunds arrive in a week.';

const contentOf = (body: string) =>
  extractPage(
    `<title>Help</title><body><main><h1>Help</h1>${text}${body}${text.replaceAll('This', 'That')}</main></body>`,
    'https://example.com/',
    { markdown: true },
  ).content ?? { markdown: '', visibleWords: 0, wordCount: 0 };
const markdown = (body: string) => contentOf(body).markdown;

describe('hidden content that is the only copy stays', () => {
  test.each([
    ['a panel', `<div style="display:none"><p>${answer}</p></div>`],
    ['a panel for search engines to find', `<div hidden="until-found"><p>${answer}</p></div>`],
    [
      'a folded answer',
      `<h3><button aria-expanded="false" aria-controls="a1">May I return it?</button></h3><div id="a1" hidden>${answer}</div>`,
    ],
    ['a closed disclosure', `<details><summary>Returns</summary><p>${answer}</p></details>`],
    [
      'a panel of tabs without roles',
      `<ul><li><a href="#one">One</a></li><li><a href="#two">Two</a></li></ul><div class="tab-pane" id="one"><p>First.</p></div><div class="tab-pane" id="two" aria-hidden="true"><p>${answer}</p></div>`,
    ],
    [
      'the rest of a paragraph',
      `<p>Buy now.<span id="more" style="display: none"> ${answer} ${answer.replace('Returns', 'Exchanges')}</span></p>`,
    ],
    ['a listing', `<div hidden><pre>const wide = await open('${answer}');</pre></div>`],
  ])('%s', (_, part) => {
    expect(markdown(part)).toContain('Returns');
  });

  test('with what is hidden inside', () => {
    expect(markdown(`<div hidden><p>${answer}</p><div hidden><p>Except for food.</p></div></div>`)).toContain(
      'Except for food.',
    );
  });

  test('and counts as visible', () => {
    const { visibleWords, wordCount } = contentOf(`<div hidden><p>${answer}</p></div>`);
    expect(wordCount).toBeLessThanOrEqual(visibleWords);
    expect(visibleWords - contentOf('').visibleWords).toBe(12);
  });

  test('once, if it is there twice', () => {
    const panel = `<div hidden><p>${answer}</p></div>`;
    expect(markdown(panel + panel).split('Returns')).toHaveLength(2);
  });
});

describe('hidden content goes', () => {
  test.each([
    ['a copy', `<p>${answer}</p><div hidden><p>${answer.toUpperCase()}</p></div>`, 'RETURNS'],
    [
      'a menu',
      `<ul hidden><li><a href="/returns">Returns and refunds</a></li><li><a href="/s">Shipping and delivery</a></li></ul>`,
      'Returns',
    ],
    ['a dialog', `<div role="dialog" hidden><p>${answer}</p></div>`, 'Returns'],
    [
      'what is named as a dialog',
      `<div class="modal" style="display:none"><p>${answer}</p></div>`,
      'Returns',
    ],
    ['a question about cookies', `<div id="cookie-banner" hidden><p>${answer}</p></div>`, 'Returns'],
    [
      'a form',
      `<div hidden><p>${answer}</p><form><input name="q"><button>Go</button></form></div>`,
      'Returns',
    ],
    [
      'a template',
      `<div hidden><p>Returns of {{name}} are free within thirty days of {{date}}.</p></div>`,
      'Returns',
    ],
    ['a template element', `<template><p>${answer}</p></template>`, 'Returns'],
    ['a message to come', '<div hidden>Returns sent!</div>', 'Returns'],
    ['a text for screen readers', '<p>Go<span hidden> to Returns on another page</span></p>', 'Returns'],
    ['part of the navigation', `<nav><div hidden><p>${answer}</p></div></nav>`, 'Returns'],
  ])('%s', (_, part, gone) => {
    expect(markdown(part)).not.toContain(gone);
  });
});
