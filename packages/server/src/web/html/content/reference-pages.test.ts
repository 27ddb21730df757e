import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

const sentence =
  'This is a sentence of the text, long enough, with a comma or two, to read as prose of its own. ';
const text = `<p>${sentence.repeat(4)}</p>`;

const markdown = (body: string, title = 'Ports') =>
  extractPage(`<title>${title}</title><body>${body}</body>`, 'https://example.com/a/', { markdown: true })
    .content?.markdown ?? '';

describe('the content is not only its largest part', () => {
  test.each([
    [
      'a paragraph before a long list of terms',
      '<p>Kept, as it introduces the terms below, in a sentence.</p>',
    ],
    ['a heading', '<h3>Kept</h3>'],
    ['a box of prose', `<div>${text.replace('This', 'Kept')}</div>`],
  ])('%s stays', (_, part) => {
    const terms = `<dl>${`<dt>term</dt><dd>${sentence}</dd>`.repeat(30)}</dl>`;
    expect(markdown(`<div id="page">${part}${terms}</div><div class="foot">Made today</div>`)).toContain(
      'Kept',
    );
  });

  test('a manual page keeps the name above its sections', () => {
    const header =
      '<div><h1>clean(1)</h1><h2>NAME</h2><div><p>clean - Kept, removes untracked files</p></div></div>';
    expect(markdown(`${header}<div><div><h2>SYNOPSIS</h2>${text}</div></div>`, 'clean(1)')).toMatch(
      /^# clean\(1\)\n\n## NAME\n\nclean - Kept/,
    );
  });

  test('a page of labels keeps them, although only its imprint is a sentence', () => {
    const plans = ['Free', 'Pro'].map(
      (plan) => `<div><h4>${plan}</h4><ul><li>10 users</li><li>2 GB</li></ul></div>`,
    );
    const imprint = `<div>© 2026 by the authors of this page and those who helped them to write it.</div>`;
    expect(markdown(`<div><div>${plans.join('')}</div>${imprint}</div>`)).toMatch(/#### Free[\s\S]+#### Pro/);
  });
});

describe('the headline', () => {
  test.each([
    [
      'of a banner opens the content, with its level',
      `<div><h2>4 Ports</h2></div><div>${text}</div>`,
      '## 4 Ports\n\n',
    ],
    [
      'stays, although only links follow',
      '<h2>4 Ports</h2><ul class="toc"><li><a href="b">Next</a></li></ul>',
      '## 4 Ports',
    ],
    [
      'is that of the page, not of the site',
      `<div class="bar"><h1>The Handbook</h1></div><main><h2>Ports</h2>${text}</main>`,
      '## Ports\n\nThis',
    ],
    [
      'that the title does not name is the closest one above',
      `<div><b>Package x</b><h2>Type PortMap</h2></div><div><div><h3>Fields</h3>${text}</div></div>`,
      '## Type PortMap\n\n### Fields',
    ],
  ])('%s', (_, body, start) => {
    expect(markdown(body, 'Ports | The Handbook').slice(0, start.length)).toBe(start);
  });

  test('is missing in spite of a comment in code that looks like one', () => {
    expect(markdown(`<div><h1>Ports</h1></div><main>${text}<pre># comment</pre></main>`)).toMatch(
      /^# Ports\n/,
    );
  });

  test('does not link to itself', () => {
    expect(markdown(`<h1><a href="#ports">Ports</a></h1>${text}`)).toMatch(/^# Ports\n/);
    expect(markdown(`<h1><a href="#ports">◆</a> Ports</h1>${text}`)).toMatch(/^# Ports\n/);
  });
});

describe('a listing without <pre>', () => {
  const line = (number: number, code: string) =>
    `<div class="line"><span class="lineno">${number}</span>&#160;${code}</div>`;

  test('is code if its element is named so, and consists of lines', () => {
    const lines = [
      line(1, '<span class="comment">// why</span>'),
      line(2, '&#160; <a href="x.html">run</a>();'),
    ];
    const tooltip =
      '<div class="ttc"><div>run</div><div>void run() of a long and winding explanation</div></div>';
    expect(markdown(`${text}<div class="fragment">${lines.join('')}${tooltip}</div>`)).toContain(
      '```\n// why\n  run();\n```',
    );
  });

  test('is no poem', () => {
    expect(
      markdown(
        `${text}<div class="line-block"><div class="line">Roses</div><div class="line">Violets</div></div>`,
      ),
    ).toContain('Roses\n\nViolets');
  });
});

describe('evidence', () => {
  test.each([
    ['code whose every word is a link', '<pre><a href="x">Kept</a> <a href="y">int</a></pre>'],
    [
      'a term with the id of its symbol',
      '<dl><dt id="pkg.QuerySet.select_related">Kept</dt><dd>A line.</dd></dl>',
    ],
    [
      'a note whose name is the slug of its title',
      '<div class="note-you-can-not-share-models-between-versions"><p>Kept, a line.</p></div>',
    ],
    ['terms, whatever they are called', '<dl class="tags"><dt>Errors</dt><dd>Kept</dd></dl>'],
    ['an admonition about sharing', '<div class="admonition admonition-share"><p>Kept, a line.</p></div>'],
    [
      'a number in a cell of its own',
      '<table><tr><th>a</th><th>b</th></tr><tr><td><pre>Kept</pre></td><td><pre>1</pre></td></tr></table>',
    ],
  ])('leaves %s', (_, part) => {
    const kept = markdown(`<main><h1>Ports</h1>${text}${part}${text}</main>`);
    expect(kept).toContain('Kept');
    if (part.includes('>1<')) expect(kept).toContain('`1`');
  });
});

describe('links', () => {
  test('above the headline lead away, also in the main part of a page', () => {
    const path = '<ul><li>Qt 5</li><li><a href="a">Qt Core</a></li><li><a href="b">C++ Classes</a></li></ul>';
    expect(markdown(`<main>${path}<hr><h1>Ports</h1>${text}</main>`)).toMatch(/^# Ports\n/);
  });

  const stories =
    '<a href="a">Another story that was told today</a> <a href="b">And yet another one of them</a>';
  test('to other stories between the paragraphs go', () => {
    expect(markdown(`<div>${text}<div>${stories}</div>${text}</div>`)).not.toContain('story');
  });

  test.each([
    [
      'that name things',
      '<div>“<a href="a">Kept</a>” “<a href="b">Sections</a>” “<a href="c">Base</a>”</div>',
    ],
    [
      'that fill the cell of a table',
      `<table><tr><th>a<th>b</tr><tr><td><p><a href="a">Kept ${stories}</a></p><td>${sentence}</tr></table>`,
    ],
  ])('%s stay', (_, part) => {
    expect(markdown(`<div>${text}${part}${text}</div>`)).toContain('Kept');
  });
});

describe('layout', () => {
  test('by a row with a heading begins another table', () => {
    expect(
      markdown(
        `${text}<table><tr><td colspan="2"><h2>Functions</h2></td></tr><tr><td>int</td><td>run()</td></tr><tr><td>void</td><td>stop()</td></tr></table>`,
      ),
    ).toContain('## Functions\n\n|  |  |\n| --- | --- |\n| int | run() |\n| void | stop() |');
  });

  test('by a row of a few words is one line', () => {
    const cells = ['int run', '(', '<a href="t">size_t</a>', '<em>n</em>', ')'].map(
      (cell) => `<td>${cell}</td>`,
    );
    expect(markdown(`${text}<table><tr>${cells.join('')}</tr></table>`)).toContain(
      'int run ( [size_t](https://example.com/a/t) *n* )',
    );
  });

  test('by a list of sections leaves the sections', () => {
    expect(
      markdown(
        `<h1>Ports</h1>${text}<ul><li><h2>Summary</h2><p>One.</p></li><li><h2>Detail</h2><p>Two.</p></li></ul>`,
      ),
    ).toContain('## Summary\n\nOne.\n\n## Detail\n\nTwo.');
  });

  test('by a table with an icon beside the text leaves the text', () => {
    expect(
      markdown(
        `${text}<table><tr><td rowspan="2"><img src="note.png" alt="Note"></td><th>Note</th></tr><tr><td>Mind the gap.</td></tr></table>`,
      ),
    ).toContain('![Note](https://example.com/a/note.png) Note\n\nMind the gap.');
  });

  test('of terms with code leaves code and definitions as blocks', () => {
    expect(markdown(`${text}<dl><dt><pre>proc run()</pre></dt><dd>Runs it.</dd></dl>`)).toContain(
      '```\nproc run()\n```\n\nRuns it.',
    );
  });
});

test('the language of a block may stand on a block inside it', () => {
  expect(
    markdown(`${text}<pre><pre class="playground"><code class="language-rust ed">x</code></pre></pre>`),
  ).toContain('```rust\nx\n```');
});

test('a space that does not break sets words apart', () => {
  expect(markdown(`<h3>11<tt>&nbsp;</tt>Editor</h3>${text}`)).toContain('### 11 Editor');
});

describe('a generated reference', () => {
  const terms = (n: number) => '<h3>run</h3><pre>void run()</pre><p>Runs it.</p>'.repeat(n);

  test('keeps the names above its description, also if the title names a method below', () => {
    const header =
      '<div class="header"><div>Module <a href="m">net.base</a></div><h1>Class Socket</h1></div><div class="inheritance"><a href="o">java.lang.Object</a></div><dl><dt>Implements:</dt><dd><a href="c">java.io.Closeable</a></dd></dl>';
    const page = markdown(
      `<main>${header}${text}<h2>Constructors</h2><h3>Socket</h3>${text}</main>`,
      'Socket (net 1.2)',
    );
    expect(page).toMatch(
      /^Module \[net\.base\]\S+\n\n# Class Socket\n\n\[java\.lang\.Object\][\s\S]+Implements:\n: \[java\.io\.Closeable\]/,
    );
  });

  test('has its title as a heading, although the page shows it in another element', () => {
    const banner =
      '<div class="top"><a href="/">The Handbook</a></div><div class="header"><div>Class Reference of Ports</div></div>';
    expect(
      markdown(
        `${banner}<div class="contents"><h2>Functions</h2>${terms(3)}</div>`,
        'Class Reference of Ports',
      ),
    ).toMatch(/^# Class Reference of Ports\n\n## Functions/);
  });

  test('keeps descriptions that its generator calls comments', () => {
    const comment = '<div class="tsd-comment"><p>Kept, a line.</p></div>';
    expect(markdown(`<main><h1>Ports</h1>${comment}${terms(3)}</main>`)).toContain('Kept, a line.');
  });

  test('keeps a note on where a symbol is defined', () => {
    const note = '<aside><p>Defined in <a href="x">src/types/ports.d.ts:16</a></p></aside>';
    expect(markdown(`<div><h1>Ports</h1>${text}<h2>run</h2>${note}</div>`)).toContain(
      'src/types/ports.d.ts:16',
    );
  });

  test('keeps sections of names and types beside the longest one', () => {
    const section = (name: string) =>
      `<section><h2>${name}</h2><h3>one</h3><div>one: string</div><h3>two</h3><div>two: number, or nothing at all</div></section>`;
    const long = `<section><h2>Methods</h2><p>${sentence.repeat(3)}</p></section>`;
    expect(
      markdown(
        `<div>${section('Constructors')}${section('Properties')}${long}</div>${section('Kept').repeat(4)}`,
      ),
    ).toMatch(/## Constructors[\s\S]+## Properties[\s\S]+## Methods/);
  });

  test('keeps the name in the header beside the article', () => {
    const header = '<header><h2>Socket(port, host)</h2><div>A socket.</div></header>';
    expect(
      markdown(`<div id="main"><section>${header}<article>${text}</article></section></div>`, 'Other'),
    ).toContain('## Socket(port, host)\n\nA socket.');
  });
});

describe('a list of chapters', () => {
  const list = (href: string) =>
    `<ul class="toc">${[1, 2, 3, 4].map((n) => `<li><a href="${href}${n}">Kept chapter ${n}</a></li>`).join('')}</ul>`;

  test('is what a page with little else is about', () => {
    expect(markdown(`<div><h1>Ports</h1><p>A guide.</p>${list('part-')}</div>`)).toContain('Kept chapter 3');
  });

  test.each([
    [
      'of the page itself repeats its headings',
      `<div><h1>Ports</h1><p>A guide in one sentence, so long.</p>${list('#part-')}</div>`,
    ],
    [
      'before the headline is navigation',
      `<div>${list('part-')}<h1>Ports</h1><p>A guide in one sentence, so long.</p></div>`,
    ],
  ])('%s', (_, body) => {
    expect(markdown(body)).not.toContain('Kept');
  });
});

describe('headlines', () => {
  test('at the end with nothing below are templates', () => {
    const search = '<div><h1>No results</h1><ul></ul></div>';
    expect(markdown(`<div><h1>Ports</h1>${text}${search}</div>`)).not.toContain('No results');
  });

  test.each([
    ['a page header', (text: string) => `<header><h1>Ports</h1></header><h1>First</h1>${text}`],
    [
      'the header of an article',
      (text: string) =>
        `<article><div><h1>Ports</h1></div><div class="post-content"><h1>First</h1>${text}</div></article>`,
    ],
  ])('in %s stay above those of the text', (_, page) => {
    expect(markdown(page(text))).toMatch(/^# Ports\n\n# First/);
  });
});

test('a sentence that begins like a teaser stays', () => {
  const more =
    '<p>Read more about the <a href="p">port proposal of the working group</a> and the keyword that came with it.</p>';
  expect(markdown(`<article><h1>Ports</h1>${text}${more}${text}</article>`)).toContain(
    'the keyword that came',
  );
});

test.each([
  ['a listing', '<pre>run\nstop</pre>', 'Run it\n\n```\nrun\nstop\n```'],
  ['a list', '<ul><li>one</li><li>two</li></ul>', 'Run it\n\n- one\n- two'],
])('a definition that opens with %s is readable without support for definition lists', (_, part, written) => {
  expect(markdown(`${text}<dl><dt>Run it</dt><dd>${part}</dd><dt>Next</dt><dd>A line.</dd></dl>`)).toContain(
    `${written}\n\nNext\n: A line.`,
  );
});

describe('names are what a reference links', () => {
  const entry = (name: string) =>
    `<div><h3>${name}</h3><p>${name} :: <a href="Handle">Handle</a> <a href="src/${name}">Source</a></p></div>`;

  test('signatures stay, although they are mostly links', () => {
    const found = markdown(`<div><h1>Ports</h1>${['stdin', 'stdout', 'stderr'].map(entry).join('')}</div>`);
    for (const name of ['stdin', 'stdout', 'stderr']) expect(found).toContain(`${name} :: [Handle]`);
  });

  test('entries stay beside the only one with a description', () => {
    const described = `<div><h3>open</h3><p>${sentence.repeat(2)}</p></div>`;
    const others = ['Module', 'Data Types', 'Macros', 'Exports'].map(
      (name) => `<div><h3>${name}</h3><p>port() = opaque term</p></div>`,
    );
    expect(markdown(`<div>${others.join('')}${described}</div>`)).toMatch(/### Data Types[\s\S]+### Exports/);
  });

  test('types after the last sentence stay, lists of topics go', () => {
    const of = (line: string) => markdown(`<article><h1>Ports</h1>${text}<div>${line}</div></article>`);
    expect(of('Text = <a href="unicode">unicode:chardata()</a>')).toContain('Text = [unicode:chardata()]');
    expect(of('<a href="a">Harbours</a> <a href="b">Ships</a>')).not.toContain('Harbours');
  });

  test('a table of related names stays', () => {
    const names = ['mod_proxy', 'mod_dir'].map(
      (name) => `<li><code><a href="${name}">${name}</a></code></li>`,
    );
    const table = `<table class="related"><tr><th>Related Modules</th><th>Related Directives</th></tr><tr><td><ul>${names.join('')}</ul></td><td>none</td></tr></table>`;
    expect(markdown(`<main><h1>Ports</h1>${text}<h2>Proxy</h2>${table}${text}</main>`)).toContain('mod_dir');
  });

  test('a label above the headline stays, a breadcrumb goes', () => {
    const of = (line: string) => markdown(`<main><div><p>${line}</p><h1>Ports</h1></div>${text}</main>`);
    expect(of('Package <a href="..">java.net</a>')).toContain('Package [java.net]');
    expect(of('<a href="/">Home</a> › <a href="..">Docs</a>')).not.toContain('Docs');
  });

  test('navigation goes, although it is longer than the page', () => {
    const links = Array.from(
      { length: 80 },
      (_, i) => `<li><a href="#f${i}">create_memory_of_kind/${i}</a></li>`,
    );
    const nav = `<nav><h3>Contents</h3><p>${sentence}</p><ul>${links.join('')}</ul></nav>`;
    expect(markdown(`${nav}<div><h1>Ports</h1><p>Opens and closes ports.</p></div>`)).not.toContain('memory');
  });
});

test('a link that opens the code of the listing before it goes', () => {
  const code = 'let value = take(pool);';
  const link = (href: string) => `<div><pre>${code}</pre><a href="${href}">Run</a></div>${text}`;
  const runner = `https://play.example/?code=${encodeURIComponent(`fn main() { ${code} }`)}&edition=2021`;
  expect(markdown(`<main><h1>Ports</h1>${link(runner)}</main>`)).not.toContain('Run');
  const manual = `https://play.example/manual/of/all/the/options/that/there/are/in/version/2021/`;
  expect(markdown(`<main><h1>Ports</h1>${link(manual)}</main>`)).toContain('[Run]');
});

test('an imprint at the end of a short page goes, the same text above stays', () => {
  const imprint = '<div class="copyright">Copyright by the authors, under the licence of the project.</div>';
  const page = `<h1>Ports</h1>`;
  const short = '<p>Opens a port, and closes it again when nobody uses it any more.</p>';
  expect(markdown(`<div>${page}${short}</div>${imprint}`)).not.toContain('Copyright');
  expect(markdown(`<div>${page}${imprint}${short}</div>`)).toContain('Copyright');
});

test('what a theme names as a link to a heading is one only if it is part of a line', () => {
  const page = (tag: string) =>
    markdown(
      `<main><h1>Ports</h1>${text}<${tag} class="anchor-link">open(port): Handle</${tag}>${text}</main>`,
    );
  expect(page('div')).toContain('open(port)');
  expect(page('span')).not.toContain('open(port)');
});
