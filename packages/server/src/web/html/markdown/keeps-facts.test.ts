import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

const markdown = (html: string) =>
  extractPage(html, 'https://example.com/a/', { markdown: true }).content?.markdown;

describe('what stands above or below the line', () => {
  test('is told apart from the number before it', () => {
    expect(markdown('<p>2<sup>32</sup>, H<sub>2</sub>O and x<sup>n + 1</sup></p>')).toBe(
      '2^32^, H~2~O and x<sup>n + 1</sup>',
    );
  });

  test('is the number of a footnote, whose text has no arrow back', () => {
    expect(
      markdown(
        '<p>Text.<sup id="r1"><a href="#f1">1</a></sup></p><ol><li id="f1">The note. <a href="#r1">↩</a></li></ol>',
      ),
    ).toBe('Text.^1^\n\n1. The note.');
  });
});

describe('a formula', () => {
  test('is the TeX that the page has beside its MathML, without the copy for the eye', () => {
    expect(
      markdown(
        `<p>For <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>e</mi></mrow>
         <annotation encoding="application/x-tex">e^{i\\pi}</annotation></semantics></math></span><span class="katex-html"
         aria-hidden="true">eiπ</span></span> there are a hundred proofs, and more of them are found in every year that passes, as
         the books about it tell, and as everybody knows who has ever opened one of these books to read in it for a while.</p>`,
      ),
    ).toMatch(/^For \$e\^\{i\\pi\}\$ there are/);
  });

  test('is the text of its MathML where there is no TeX', () => {
    expect(markdown('<p>So <math><mi>x</mi><mo>=</mo><mn>2</mn></math>.</p>')).toBe('So x=2.');
  });

  test('is the TeX that MathJax reads', () => {
    expect(
      markdown(
        '<p>So <script type="math/tex">a_1</script>:</p><script type="math/tex; mode=display">b</script>',
      ),
    ).toBe('So $a_1$:\n\n$$b$$');
  });
});

describe('a table', () => {
  test('has what spans rows and columns in each of them', () => {
    expect(
      markdown(
        '<table><tr><th>a<th>b<th>c</tr><tr><td rowspan=2>1<td>2<td>3</tr><tr><td colspan=2>wide</table>',
      ),
    ).toBe('| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | wide | wide |');
  });

  test('keeps the code, lists and paragraphs of its cells', () => {
    expect(
      markdown(
        '<table><tr><th>a<th>b</tr><tr><td><pre>one\ntwo</pre><td><ul><li>x<li>y</ul></tr><tr><td><p>p</p><p>q|r</p><td>s</table>',
      ),
    ).toBe('| a | b |\n| --- | --- |\n| <pre>`one`<br>`two`</pre> | - x<br>- y |\n| p<br>q\\|r | s |');
  });

  test('keeps the lines of its listings, empty ones and indented ones too, with their language', () => {
    const listing = '<pre><code class="language-js">if (x) {\n  `y`\n\n}</code></pre>';
    expect(
      markdown(
        `<table><tr><th>a<th>b</tr><tr><td>Like <b>this</b>:${listing}<td><ul><li>x${listing}</ul></table>`,
      ),
    ).toBe(
      '| a | b |\n| --- | --- |\n| Like **this**:<br><pre lang="js">`if (x) {`<br>``   `y` ``<br><br>`}`</pre> ' +
        '| - x<br><pre lang="js">`if (x) {`<br>``   `y` ``<br><br>`}`</pre> |',
    );
  });

  test('has the listing of a table in a cell as a block too', () => {
    expect(
      markdown(
        '<table><tr><th>k<th>v</tr><tr><td>a<td><table><tr><td>x<td><pre>1\n2</pre></tr></table></table>',
      ),
    ).toBe('| k | v |\n| --- | --- |\n| a | x<br><pre>`1`<br>`2`</pre> |');
  });

  test('sets the text of a cell apart from a heading or box in it', () => {
    expect(
      markdown('<table><tr><th>a<th>b</tr><tr><td><h4>Head</h4>text<td>text<div>box</div></tr></table>'),
    ).toBe('| a | b |\n| --- | --- |\n| Head<br>text | text<br>box |');
  });

  test('has a table in a cell as one line', () => {
    expect(
      markdown('<table><tr><th>k<th>v</tr><tr><td>a<td><table><tr><th>x<td>1</tr></table></table>'),
    ).toBe('| k | v |\n| --- | --- |\n| a | x 1 |');
  });
});

describe('a listing', () => {
  test('has neither line numbers nor the copy button nor the language as text', () => {
    expect(
      markdown(
        `<div class="language-ts"><button class="copy">Copy</button><span class="lang">ts</span>
         <pre><code><span class="lineno">1</span>let a;
<span class="lineno">2</span>let b;</code></pre></div>`,
      ),
    ).toBe('```ts\nlet a;\nlet b;\n```');
    expect(
      markdown(
        '<table><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
      ),
    ).toBe('```\na\nb\n```');
  });

  test('has a line for each element that stands for one', () => {
    expect(markdown('<pre data-language="js"><code><div>let a</div><div>let b</div></code></pre>')).toBe(
      '```js\nlet a\nlet b\n```',
    );
  });

  test('keeps its comments, whatever the highlighter calls them', () => {
    expect(
      markdown('<p>Like this.</p><pre><code><span class="token comment">// why</span>\nrun()</code></pre>'),
    ).toBe('Like this.\n\n```\n// why\nrun()\n```');
  });

  test.each([
    ['<pre><code class="language-go">x</code></pre>', 'go'],
    ['<pre><code class="hljs rust">x</code></pre>', 'rust'],
    ['<pre><code class="rust hljs">x</code></pre>', 'rust'],
    ['<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>', 'python'],
    ['<div class="mw-highlight mw-highlight-lang-lua"><pre>x</pre></div>', 'lua'],
    ['<pre class="brush: java">x</pre>', 'java'],
    ['<pre class="sourceCode haskell"><code>x</code></pre>', 'haskell'],
    ['<div class="highlight-default notranslate"><pre>x</pre></div>', ''],
  ])('names its language: %s', (html, language) => {
    expect(markdown(html)).toBe(`\`\`\`${language}\nx\n\`\`\``);
  });
});

describe('tabs', () => {
  const both = (first: string, second: string) => `**npm**\n\n${first}\n\n**yarn**\n\n${second}`;

  test('by their roles show every panel under its label', () => {
    expect(
      markdown(
        `<h1>T</h1><p>Install it with one of these two.</p><ul role="tablist"><li role="tab">npm</li><li role="tab">yarn</li></ul><div><div role="tabpanel"><p>npm i</p></div>
         <div role="tabpanel" hidden><p>yarn add</p></div></div>`,
      ),
    ).toBe(`# T\n\nInstall it with one of these two.\n\n${both('npm i', 'yarn add')}`);
  });

  test.each([
    [
      'in a box of their own',
      '<div><input type=radio id=a><input type=radio id=b><div><label for=a>npm</label><label for=b>yarn</label></div><div><div><p>npm i</p></div><div><p>yarn add</p></div></div></div>',
    ],
    [
      'before the panels',
      '<div><div><input type=radio id=a><label for=a>npm</label><input type=radio id=b><label for=b>yarn</label></div><div><div><p>npm i</p></div><div><p>yarn add</p></div></div></div>',
    ],
    [
      'between the panels',
      '<div><input type=radio id=a><label for=a>npm</label><div><p>npm i</p></div><input type=radio id=b><label for=b>yarn</label><div><p>yarn add</p></div></div>',
    ],
  ])('by radio buttons with labels %s do as well', (_, html) => {
    expect(markdown(`<h1>T</h1>${html}`)).toBe(`# T\n\n${both('npm i', 'yarn add')}`);
  });
});

test('boxes to tick are kept with their items', () => {
  expect(
    markdown(
      '<ul><li><input type="checkbox" checked disabled> done<li><input type="checkbox" disabled> open</ul>',
    ),
  ).toBe('- [x] done\n- [ ] open');
});

test('the label of a box to tick is its text', () => {
  expect(
    markdown(
      '<ul><li><label><input type="checkbox" checked> done</label><li><label><input type="checkbox"> open</label></ul>',
    ),
  ).toBe('- [x] done\n- [ ] open');
});

test('what a word is short for is told once', () => {
  const abbr = '<abbr title="HyperText Markup Language">HTML</abbr>';
  expect(markdown(`<p>${abbr}, and ${abbr} again</p>`)).toBe(
    'HTML (HyperText Markup Language), and HTML again',
  );
});

test('an asterisk that is emphasised reads as an asterisk', () => {
  expect(markdown('<p>f(<em>a</em>, <em>*</em>, <em>b</em>)</p>')).toBe('f(*a*, \\*, *b*)');
});
