import { sampleShop } from './sample-shop.ts';

const sections = ['lights', 'ships', 'knots', 'harbours'] as const;
const perSection = 45;
const redirects = 8;

const words =
  'tide anchor mooring lantern keel rope beacon quay sail chart compass fog swell bell current pilot mast hull'.split(
    ' ',
  );

export type SampleAnswer =
  | { readonly status: 200; readonly type: string; readonly body: string; readonly waitMs: number }
  | { readonly status: 301; readonly location: string }
  | { readonly status: 403 | 404 | 500 };

export interface Asked {
  /** Requests for this path, including this one. */
  readonly times: number;
  /** Differs between crawls. */
  readonly edition: number;
}

const robots = 'User-agent: *\nDisallow: /private/\nSitemap: /sitemap.xml\n';
/** Pages that no page links to. */
const onlyInSitemap = ['/archive/first-chart', '/archive/old-bell', '/archive/last-keeper'];
const pageMs = 90;
const slowPageMs = 1_200;

/**
 * A small site with cycles, redirects, a slow page, errors, and a part that is forbidden to robots. Between two editions,
 * two pages change, one is new and one is gone.
 */
export function samplePage(path: string, { times, edition }: Asked): SampleAnswer {
  if (path === '/robots.txt') return text('text/plain', robots);
  if (path === '/sitemap.xml') return text('application/xml', sitemap());
  if (path === '/')
    return html(
      'The harbour',
      [...sections.map((section) => `/${section}/`), '/slow', '/private/log', '/log-book', newsPath(edition)],
      0,
      `Notice to mariners no. ${edition} is out.`,
    );
  if (path === '/log-book') return html('The log book', ['/'], 3, `Entry ${edition}: ${weather(edition)}.`);
  if (path === newsPath(edition)) return html(`Notice to mariners no. ${edition}`, ['/'], edition);
  if (path === '/slow') return { ...html('A page that takes its time', ['/'], 1), waitMs: slowPageMs };
  if (path === '/flaky') return times === 1 ? { status: 500 } : html('Well again', ['/'], 2);
  if (path === '/crew-only') return { status: 403 };
  const sold = sampleShop(path, times);
  if (sold) return text(sold.type, sold.body);
  if (onlyInSitemap.includes(path)) return html(`From the archive: ${path.slice(9)}`, ['/'], path.length);
  const [, section = '', name = ''] = /^\/([a-z]+)\/(\d*)$/.exec(path) ?? [];
  if (section === 'old' && Number(name) < redirects)
    return { status: 301, location: `/ships/${Number(name) + 1}` };
  const place = sections.indexOf(section as (typeof sections)[number]);
  if (place === -1 || Number(name) > perSection) return { status: 404 };
  return name === '' ? sectionIndex(section) : sectionPage(section, place, Number(name));
}

const newsPath = (edition: number) => `/notices/${edition}`;

function weather(edition: number): string {
  const kinds = ['a light breeze from the west', 'fog until noon', 'rain and a falling glass', 'clear skies'];
  return kinds[edition % kinds.length] ?? '';
}

/** Every path that a crawl of the first edition finds, but for those that robots.txt forbids. */
export function samplePaths(): string[] {
  const pages = sections.flatMap((section) => [
    `/${section}/`,
    ...Array.from({ length: perSection }, (_, index) => `/${section}/${index + 1}`),
  ]);
  const moved = Array.from({ length: redirects }, (_, index) => `/old/${index}`);
  return [
    '/',
    '/slow',
    '/flaky',
    '/crew-only',
    '/lost-at-sea',
    '/log-book',
    newsPath(1),
    ...pages,
    ...moved,
    ...onlyInSitemap,
  ];
}

function sectionIndex(section: string): SampleAnswer {
  const pages = Array.from({ length: 15 }, (_, index) => `/${section}/${index * 3 + 1}`);
  return html(`All about ${section}`, ['/', ...pages], section.length);
}

/** Links forward, back, across and up, so that every page can be reached in many ways. */
function sectionPage(section: string, place: number, number: number): SampleAnswer {
  const across = sections[(place + 1) % sections.length] ?? section;
  const links = [
    `/${section}/${(number % perSection) + 1}`,
    `/${section}/${((number + perSection - 2) % perSection) + 1}`,
    `/${across}/${((number * 7) % perSection) + 1}`,
    `/${section}/`,
    '/',
  ];
  if (number % 9 === 0) links.push(`/old/${number / 9 + place - 1}`);
  if (number === 13) links.push('/flaky', '/crew-only', '/lost-at-sea');
  return html(`${section}, chapter ${number}`, links, place * 100 + number);
}

function html(
  title: string,
  links: readonly string[],
  seed: number,
  remark = '',
): SampleAnswer & { status: 200 } {
  const sentence = (start: number) =>
    `The ${Array.from({ length: 14 }, (_, index) => words[(start * 5 + index * index + seed) % words.length]).join(' ')}.`;
  const paragraphs = [1, 2, 3].map((start) => `<p>${sentence(start)} ${sentence(start + 3)}</p>`).join('\n');
  const notice = remark && `<p>${remark}</p>\n`;
  const anchors = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('\n');
  const body = `<!doctype html>
<html lang="en"><head><title>${title}</title><meta name="description" content="${sentence(seed)}"></head>
<body><main><h1>${title}</h1>\n${notice}${paragraphs}</main>\n<nav><ul>${anchors}</ul></nav></body></html>`;
  return { status: 200, type: 'text/html; charset=utf-8', body, waitMs: pageMs };
}

function sitemap(): string {
  const urls = onlyInSitemap.map((path) => `<url><loc>ORIGIN${path}</loc></url>`).join('');
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
}

function text(type: string, body: string): SampleAnswer {
  return { status: 200, type, body, waitMs: 0 };
}
