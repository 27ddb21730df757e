import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

/** The markdown of a page that is nothing but this. */
const markdown = (html: string) =>
  extractPage(html, 'https://example.com/dir/page', { markdown: true }).content?.markdown;

describe('inline markdown', () => {
  test.each([
    ['<p>a <b>bold</b>, <i>it</i> and <del>gone</del></p>', 'a **bold**, *it* and ~~gone~~'],
    ['<p>x<b> spaced </b>y</p>', 'x **spaced** y'],
    ['<p><b>a <b>b</b> <i></i></b></p>', '**a b**'],
    ['<p>a\n   b<span> c</span> <span> d</span></p>', 'a b c d'],
    ['<p>one<br>two<br><br>three</p>', 'one  \ntwo\n\nthree'],
    ['<p><code>a  b</code> <code>`x`</code></p>', '`a b` `` `x` ``'],
    ['<p>He said <q>no</q>.</p>', 'He said “no”.'],
    ['<p>&lt;b&gt; &amp;copy; &copy;</p>', '\\<b> \\&copy; ©'],
  ])('%s', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  test('makes links and images absolute, and keeps a link without a target as text', () => {
    expect(
      markdown('<p>see <a href="../x?a=1&amp;b=2">this</a>, <a href="javascript:x()">that</a></p>'),
    ).toBe('see [this](https://example.com/x?a=1&b=2), that');
    expect(markdown('<p>text <img src="i.png" alt="a [b]"> <img src="data:x"></p>')).toBe(
      'text ![a \\[b\\]](https://example.com/dir/i.png)',
    );
    expect(markdown('<p>text wow! <a href="/x">a</a>!<a href="/y_(z)">b</a></p>')).toBe(
      'text wow! [a](https://example.com/x)\\![b](https://example.com/y_(z))',
    );
  });

  test('escapes only what would read as markup', () => {
    expect(markdown('<p>2 * 3, snake_case, _x_, *y*, a[0], [a](b), C:\\dir, 1 < 2</p>')).toBe(
      '2 * 3, snake_case, \\_x\\_, \\*y\\*, a[0], [a\\](b), C:\\dir, 1 < 2',
    );
    expect(markdown('<p># no</p><p>- no</p><p>1. no</p><p>1.5 yes</p><p>> no</p><p>-5</p>')).toBe(
      '\\# no\n\n\\- no\n\n1\\. no\n\n1.5 yes\n\n\\> no\n\n-5',
    );
  });
});

describe('blocks', () => {
  test('are headings, rules and quotes', () => {
    expect(
      markdown('<h2>A <b>b</b></h2><hr><blockquote><p>q</p><p>r</p><blockquote>s</blockquote></blockquote>'),
    ).toBe('## A b\n\n---\n\n> q\n>\n> r\n>\n> > s');
  });

  test('are lists in lists, numbered from where they start', () => {
    const html = '<ul><li>a<ol start=9><li>b<li><p>c</p><p>d</p></ol><li>e</ul>';
    expect(markdown(html)).toBe('- a\n  9. b\n  10. c\n\n      d\n- e');
  });

  test('are code with its whitespace, language and a fence that it does not contain', () => {
    expect(
      markdown('<pre><code class="hljs language-ts">\nif (a &lt; b) {\n\n  c();\n}\n</code></pre>'),
    ).toBe('```ts\nif (a < b) {\n\n  c();\n}\n```');
    expect(markdown('<div class="highlight highlight-source-shell"><pre>```\nx</pre></div>')).toBe(
      '````shell\n```\nx\n````',
    );
    expect(markdown('<pre>a<br>b   <span>c</span></pre>')).toBe('```\na\nb   c\n```');
  });

  test('are tables with escaped pipes, spans and an empty header where there is none', () => {
    expect(
      markdown(
        '<table><caption>T</caption><tr><th>a<th>b</tr><tr><td>1|2<td><p>x</p><p>y</p></tr><tr><td colspan=2>z</table>',
      ),
    ).toBe('T\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |\n| z |  |');
    expect(markdown('<table><tr><td>a<td>b</tr><tr><td>c<td>d</tr></table>')).toBe(
      '|  |  |\n| --- | --- |\n| a | b |\n| c | d |',
    );
  });

  test('are the contents of a table that only lays out the page', () => {
    expect(markdown('<table><tr><td><h2>A</h2><p>b</p></td><td>c</td></tr><tr><td>d<td>e</table>')).toBe(
      '## A\n\nb\n\nc\n\nd e',
    );
  });

  test('are definitions', () => {
    expect(markdown('<dl><dt>a<dd>one<dd>two<dt>b<dd>three</dl>')).toBe('a\n: one\n: two\n\nb\n: three');
  });

  test('survive end tags that are missing or cross each other', () => {
    expect(markdown('<p>one<p>two<div>three</div>four')).toBe('one\n\ntwo\n\nthree\n\nfour');
    expect(markdown('<div><b>x<p>y</b>z</p></div><p>w</p>')).toBe('x\n\nyz\n\nw');
    expect(markdown('<table><tr><td>a</div><td>b<tr><td>c<td>d</table><p>e')).toBe(
      '|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\ne',
    );
  });

  test('carry the link that stands around them', () => {
    expect(markdown('<div><a href="/x"><h3>Title</h3><p>Text of the card</p></a></div>')).toBe(
      '### [Title](https://example.com/x)\n\n[Text of the card](https://example.com/x)',
    );
  });

  test('leave out controls, scripts, hidden parts and signs that only link to their heading', () => {
    expect(
      markdown(
        '<h2>T<a class="headerlink" href="#t">¶</a></h2><p>text that is shown</p><script>x</script><style>y</style><noscript>z</noscript><button>b</button><select><option>o</select><svg><text>s</text></svg><p hidden>h</p><textarea>t</textarea>',
      ),
    ).toBe('## T\n\ntext that is shown');
  });
});
