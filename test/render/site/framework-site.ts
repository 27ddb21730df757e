import type { ServerResponse } from 'node:http';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { ArticleView } from './apps/article-view.ts';
import { pages, type SitePage } from './content.ts';

const navigation = `<header><nav>${['Home', 'News', 'Shop', 'Contact'].map((name) => `<a href="/">${name}</a>`).join('')}</nav>
  <p>${'A site of many parts, each of them made in another way, with a header that all of them share. '.repeat(9)}</p></header>`;
const module = (name: string) => `<script type="module" src="/${name}.js"></script>`;
const shell = (body: string) =>
  `<!doctype html><html lang="en"><head><title>Site</title></head><body>${body}</body></html>`;

function written({ title, text, links }: SitePage, more = ''): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body>
    <main><h1>${title}</h1><p>${text}</p>${links.map((link) => `<a href="${link}">On to ${link}</a>`).join(' ')}</main>${more}</body></html>`;
}

/** How the server sends a page of each kind. */
const kinds: Readonly<Record<string, (page: SitePage) => string>> = {
  text: (page) => written(page, '<script>console.log("hello")</script>'),
  banner: (page) => written(page, `<i data-fill="banner">i</i>${module('plain')}`),
  item: (page) => written(page),
  topic: (page) => written(page),
  article: (page) =>
    shell(
      `<div id="root">${renderToString(createElement(ArticleView, page))}</div>
       <script type="application/json" id="state">${JSON.stringify(page)}</script>${module('article')}`,
    ).replace('Site', page.title),
  shop: () => shell(`<div id="root"></div>${module('shop')}`),
  docs: () => shell(`<div id="app">Loading …</div>${module('docs')}`),
  feed: (page) => written({ ...page, links: ['/'] }, `<div id="feed"></div>${module('feed')}`),
  card: (page) =>
    `${written({ ...page, text: '', links: [] }).replace('<p></p>', '<text-card></text-card>')}${module('plain')}`,
  news: () =>
    shell(
      `${navigation}<section data-fill="news" class="skeleton"><i></i><i></i></section>${module('plain')}`,
    ),
  state: (page) =>
    shell(
      `${navigation}<section data-fill="state"></section><script type="application/json" id="data">${JSON.stringify(page)}</script>${module('plain')}`,
    ).replace('Site', page.title),
  plea: (page) =>
    shell(
      `<noscript>You need to enable JavaScript to run this app.</noscript><p data-fill="plea">Please wait.</p>${module('plain')}`,
    ).replace('Site', page.title),
  board: (page) =>
    written(
      page,
      `<div data-fill="board">${page.clicks.map((_, n) => `<div class="topic" data-topic="${n}" role="link">Topic ${n}</div>`).join('')}</div>${module('plain')}`,
    ),
  moved: () => shell(`<p data-fill="moved">You are on your way.</p>${module('plain')}`),
};

/** Answers the requests for the site; `onRender` is called for each page that a browser runs: it has one script of ours. */
export function frameworkSite(scripts: () => ReadonlyMap<string, string>, onRender: () => void) {
  return (url: string, response: ServerResponse): boolean => {
    const [path = '/', query = ''] = url.split('?');
    const send = (type: string, body: string) => {
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
      return true;
    };
    const script = scripts().get(path.slice(1));
    if (script !== undefined) {
      if (/^\/(shop|article|docs|feed|plain)\.js$/.test(path)) onRender();
      return send('text/javascript', script);
    }
    if (path === '/data')
      return send('application/json', JSON.stringify(pages.get(decodeURIComponent(query))));
    if (path === '/feed/items') {
      const from = Number(query.slice('from='.length));
      return send('application/json', JSON.stringify(pages.get('/feed')?.links.slice(from, from + 8)));
    }
    const page = pages.get(path);
    const kind = kinds[path === '/' ? 'item' : (path.split('/')[1] ?? '')];
    if (kind && page) return send('text/html', kind(page));
    if (kind && path.startsWith('/moved/'))
      return send('text/html', kind({ path, title: '', text: '', links: [], clicks: [] }));
    return false;
  };
}
