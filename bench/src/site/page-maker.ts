/** What a crawler must find in a page that was made here. */
interface ExpectedPage {
  readonly title: string;
  /** Paths, each once, in the page's order. */
  readonly links: readonly string[];
  /** A sentence of the main content, and one that stands beside it. */
  readonly sentence: string;
  readonly boilerplate: string;
}

export interface MadePage extends ExpectedPage {
  readonly html: string;
}

/** Which pages a page links to. */
export type ChooseLinks = (page: number) => readonly number[];

export const linksPerPage = 50;
const sections = 40;
const bodies = 64;
const boilerplate = 'All rights of this imaginary publisher are reserved, and its cookies are only crumbs.';

export function pathOf(page: number): string {
  return page === 0 ? '/' : `/section-${page % sections}/article-${page}.html`;
}

/** The number of the page at a path, or undefined. */
export function pageAt(path: string): number | undefined {
  if (path === '/') return 0;
  const match = /^\/section-\d+\/article-(\d+)\.html$/.exec(path);
  return match ? Number(match[1]) : undefined;
}

/** The links of a site of so many pages: two children in a binary tree, so that every page is reached, and others anywhere. */
export function siteLinks(pages: number): ChooseLinks {
  return (page) => {
    const chosen = new Set([page * 2 + 1, page * 2 + 2].filter((child) => child < pages));
    for (let n = 0; chosen.size < Math.min(linksPerPage, pages - 1); n++) {
      const other = (page * 7919 + n * 1009 + Math.floor(n / pages)) % pages;
      if (other !== page) chosen.add(other);
    }
    return [...chosen];
  };
}

/**
 * The links of a site that never ends: navigation that all pages share, neighbours, some of the `known` first pages
 * anywhere, and one that no other page leads to.
 */
export function growingLinks(known: number): ChooseLinks {
  return (page) => {
    const chosen = new Set([page + known]);
    for (let n = 1; chosen.size < 21; n++) chosen.add(n);
    for (let n = 1; chosen.size < 41; n++) chosen.add((page + n) % known);
    for (let n = 0; chosen.size < linksPerPage; n++) chosen.add((page * 7919 + n * 104_729) % known);
    return [...chosen];
  };
}

/**
 * A page of about 15 KB as sites have them: a head with metadata, navigation, a sidebar, an article with headings,
 * paragraphs, lists, a table and code, and a footer. The same page each time. Its text is one of 64, so that a site can
 * make pages as they are asked for.
 */
export function makePage(page: number, chooseLinks: ChooseLinks): MadePage {
  const links = chooseLinks(page).map(pathOf);
  const anchors = links.map((path, n) => `<a href="${path}">${phrase(page * 31 + n)}</a>`);
  const title = `${phrase(page)} (${page})`;
  const sentence = `Article ${page} speaks of nothing that happened, and says so in its first line.`;
  const body = bodyOf(page % bodies);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${phrase(page + 1)}, as told by article ${page}.">
<link rel="canonical" href="${pathOf(page)}">
<link rel="stylesheet" href="/assets/site.css">
<meta property="og:title" content="${title}">
<meta property="og:type" content="article">
<script>window.settings = { page: ${page}, theme: "light" };</script>
</head>
<body class="article-page">
<header class="site-header"><img class="logo" src="/assets/logo.svg" alt="The publisher">
<nav class="main-nav"><ul>${anchors
    .slice(2, 14)
    .map((anchor) => `<li class="nav-item">${anchor}</li>`)
    .join('\n')}</ul></nav></header>
<div class="layout">
<main id="main"><article class="post">
<h1>${title}</h1>
<p>${sentence} ${anchors.slice(0, 2).join(' and ')} tell more.</p>
${body.opening}
<ul>${anchors
    .slice(14, 28)
    .map((anchor, n) => `<li>${anchor}: ${phrase(page + n)}.</li>`)
    .join('\n')}</ul>
${body.rest}
</article></main>
<aside class="sidebar"><h2>Related</h2><ul class="related">${anchors
    .slice(28, 44)
    .map((anchor) => `<li>${anchor}</li>`)
    .join('\n')}</ul></aside>
</div>
<footer class="site-footer"><ul>${anchors
    .slice(44)
    .map((anchor) => `<li>${anchor}</li>`)
    .join('')}</ul><p>${boilerplate}</p></footer>
</body>
</html>
`;
  return { html, title, links, sentence, boilerplate };
}

const words =
  `harbour lantern meadow signal copper winter engine garden letter bridge market window river thunder paper
  compass orchard velvet anchor season mirror pocket timber canvas feather marble island kettle shadow ribbon saddle
  needle summer basket candle hammer turnip willow pepper violin castle dragon fabric gravel hollow insect jacket
  keeper ladder magnet narrow oyster pillar quarry rabbit salmon tunnel urgent valley wander yellow zipper answer
  beyond circle during either follow gather happen indeed joined kindly little moment nearly office people rather
  seldom though unless within across always before carry distance evening forward general however inside journey
  knowledge language machine nothing opinion perhaps quality reason several together usually village without`.split(
    /\s+/,
  );

/** A sequence that looks random and is the same on every machine (a linear congruence of Numerical Recipes). */
export function* numbersFrom(seed: number): Generator<number, never> {
  let state = (seed * 2_654_435_761) >>> 0;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}

function phrase(seed: number): string {
  const first = words[(seed * 7 + 3) % words.length];
  const second = words[(seed * 13 + 5) % words.length];
  const third = words[(seed * 29 + 11) % words.length];
  return `${first} ${second} ${third}`;
}

const madeBodies = new Map<number, { opening: string; rest: string }>();

function bodyOf(variant: number): { opening: string; rest: string } {
  const known = madeBodies.get(variant);
  if (known) return known;
  const numbers = numbersFrom(variant + 1);
  const word = () => words[numbers.next().value % words.length] as string;
  const sentence = () => {
    const text = Array.from({ length: 8 + (numbers.next().value % 10) }, word).join(' ');
    return `${text[0]?.toUpperCase()}${text.slice(1)}${numbers.next().value % 5 === 0 ? ', <em>as they say</em>.' : '.'}`;
  };
  const paragraph = () => `<p>${Array.from({ length: 6 }, sentence).join(' ')}</p>`;
  const row = () =>
    `<tr><td>${word()}</td><td>${numbers.next().value % 1000}</td><td>${word()} ${word()}</td></tr>`;
  const section = () => `<h2>${word()} ${word()}</h2>\n${paragraph()}\n${paragraph()}`;
  const table = `<table><thead><tr><th>Name</th><th>Count</th><th>Remark</th></tr></thead><tbody>${Array.from({ length: 8 }, row).join('')}</tbody></table>`;
  const code = `<pre><code class="language-js">${Array.from({ length: 6 }, () => `const ${word()} = ${word()}(${numbers.next().value % 100});`).join('\n')}</code></pre>`;
  const body = {
    opening: [paragraph(), section(), section()].join('\n'),
    rest: [
      section(),
      table,
      section(),
      code,
      section(),
      `<blockquote>${paragraph()}</blockquote>`,
      section(),
    ].join('\n'),
  };
  madeBodies.set(variant, body);
  return body;
}
