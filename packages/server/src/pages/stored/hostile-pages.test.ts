import { describe, expect, test } from 'vitest';
import { extractPage } from '../../web/html/extract-page.ts';
import { growthOf, isLinear } from './testing/growth.ts';

/** What a page may repeat to make its reader slow: nothing of it may take more than linear time. */
const pieces: Readonly<Record<string, string>> = {
  'no-break spaces': '\u00a0',
  'no-break spaces as entities': '&nbsp;',
  'spaces as entities': '&#32;',
  'line breaks as entities': '&#10;',
  'spaces and line breaks': '&#32;&#32;&#32;<br>&nbsp;&nbsp;',
  blanks: ' ',
  tabs: '\t',
  'form feeds': '\f',
  brackets: '[',
  'closed brackets': '](',
  backticks: '`',
  'backticks apart': '`` ` ',
  pipes: '|',
  stars: '*',
  'stars apart': '* a',
  underscores: '_',
  tildes: '~~',
  backslashes: '\\',
  'less-than': '<',
  'less-than apart': 'a < ',
  ampersands: '&',
  'numeric references': '&#x0',
  'end tags': '</',
  'end tags of nothing': '</x',
  'end tags of what is open': '</div></p></b>',
  'open tags': '<b><i><u>',
  'open blocks': '<div>',
  'open lists': '<ul><li>x',
  'open quotes': '<blockquote>x',
  'open definitions': '<dl><dt>x<dd>y',
  'open tables': '<table><tr><td>x',
  'open tables of one cell': '<table><div>x',
  'open links': '<a href=/x>y',
  'links that exclaim': '!<a href="/x">y</a>',
  'links in one line': '<a href="/x">y</a> ',
  'marks that cross': '<b><p></b>x',
  comments: '<!-- - -->',
  'open comments': '<!--',
  'open comments of dashes': '<!-- -- ',
  doctypes: '<!x>',
  'open CDATA': '<![CDATA[',
  'open quotes of attributes': '<a b="',
  attributes: '<a a=1 b="2" c>',
  codes: '<code>`</code>',
  'code blocks': '<pre>  ```\n</pre>',
  'lines of code': '<pre>\n   \n',
  'definition lines': '<dl><dt>a<dd>b</dl>',
  headings: '<h2>a',
  images: '<img src=/a alt="[x]">',
  microdata: '<div itemscope itemprop=a>(',
  'microdata texts': '<b>(</b>',
  titles: '<title>a',
  scripts: '<script type=application/ld+json>{"a":[',
  'scripts of comments': '<script type=application/ld+json>/* <!-- ',
  'JSON in JSON': '<script type="application/ld+json">{"@type":"Product","name":"a',
  'equals signs': '<p a===',
  refreshes: '<meta http-equiv=refresh content="0;   url=x">',
  classes: '<p class="ad-x comment-y share_z">a</p>',
  styles: '<p style="display :visibility :">a</p>',
  words: 'more stories: ',
  hashes: '#',
  dashes: '-\n',
  numbers: '1.\n',
  rules: '=== \n',
};

/** Around the repeated piece: a break before it, and something on either side, so that nothing is trimmed away. */
const places: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'in a paragraph': ['<html><body><p>x<br>a', 'b<br>c</p></body></html>'],
  'in a link': ['<p><a href="/a"><b>x<br>a', 'b</b></a></p>'],
  'in a linked card': ['<a href="/a"><div>x<br>a', 'b</div></a>'],
  'in a heading': ['<h1>x<br>a', 'b</h1>'],
  'in a cell': ['<table><tr><td>x<br>a', 'b<td>a<tr><td>b<td>c</table>'],
  'in code': ['<p><code>x<br>a', 'b</code></p>'],
  'in preformatted text': ['<pre>x<br>a', 'b</pre>'],
  'in an attribute': ['<meta name=description content="a', 'b"><p>x'],
  'in an item': ['<div itemscope><span itemprop=name>x<br>a', 'b</span></div>'],
  'in a script': ['<script type="application/ld+json">{"a": "', 'b"}</script>'],
};

/** What takes more than repetition. */
const shapes: Readonly<Record<string, (size: number) => string>> = {
  'a long row above many short ones': (size) =>
    `<table><tr>${'<td colspan=9>x'.repeat(Math.min(size / 60, 9_000))}${'<tr><td>a'.repeat(Math.min(size / 40, 10_000))}</table>`,
  'items around a long text': (size) =>
    `<div itemscope>${'<div itemprop=a>'.repeat(200)}${'a '.repeat(size / 2)}</div>`,
  'references to one long text': (size) =>
    `<p id=a itemprop=a>${'a '.repeat(size / 4)}</p>${'<i itemscope itemref="a a a a a a a a"></i>'.repeat(size / 80)}`,
  'quotes of quotes': (size) => '<q>'.repeat(250) + 'a '.repeat(size / 2),
  'many long class names': (size) => {
    let html = '';
    for (let i = 0; html.length < size; i++) html += `<p class="${`${i}-a `.repeat(300)}">x</p>`;
    return html;
  },
  'tags of ever new names': (size) => Array.from({ length: size / 10 }, (_, i) => `<x-${i}>a`).join(''),
};

const most = 800_000;

function growth(inputOf: (size: number) => string) {
  return growthOf(inputOf, (html) => extractPage(html, 'https://site.example/', { markdown: true }), most);
}

describe('the time to read a page grows with its length and no faster', () => {
  for (const [place, [before, after]] of Object.entries(places))
    test(`whatever is repeated ${place}`, () => {
      const slow = Object.entries(pieces).flatMap(([name, piece]) => {
        const seen = growth((size) => before + piece.repeat(size / piece.length) + after);
        return isLinear(seen) ? [] : [`${name}: ${JSON.stringify(seen)}`];
      });
      expect(slow).toEqual([]);
    }, 300_000);

  for (const [name, inputOf] of Object.entries(shapes))
    test(`with ${name}`, () => {
      expect(growth(inputOf)).toSatisfy(isLinear);
    }, 300_000);
});
