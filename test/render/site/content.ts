/** What one page of the site has to say, however it comes to say it. */
export interface SitePage {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly links: readonly string[];
  /** Where its buttons lead; they have no address. */
  readonly clicks: readonly string[];
}

/** How many pages there are of each kind. */
const counts = {
  text: 8,
  article: 6,
  banner: 6,
  item: 24,
  topic: 4,
  shop: 8,
  guide: 4,
  card: 4,
  news: 5,
  state: 4,
  plea: 3,
};
type Kind = keyof typeof counts;

/** Kinds whose text or links come by a script. The other ones come complete, though most of them have scripts. */
const needy: readonly Kind[] = ['shop', 'guide', 'card', 'news', 'state', 'plea'];

const pathOf = (kind: Kind, n: number) => (kind === 'guide' ? `/docs#/guide-${n}` : `/${kind}/${n}`);
const all = (kind: Kind) => Array.from({ length: counts[kind] }, (_, n) => pathOf(kind, n));

/** Words that no other page has, and enough of them to be an article. */
function textOf(name: string): string {
  return Array.from(
    { length: 8 },
    (_, n) => `The ${name} tells about part ${n} of ${name}x${n} and why it matters.`,
  ).join(' ');
}

function page(path: string, links: readonly string[] = [], clicks: readonly string[] = []): SitePage {
  const name =
    path
      .replaceAll(/[^a-z0-9]+/g, ' ')
      .trim()
      .replaceAll(' ', '') || 'home';
  return { path, title: `Page ${name}`, text: textOf(name), links, clicks };
}

const roots = [
  ...all('text'),
  ...all('article'),
  ...all('banner'),
  ...all('card'),
  ...all('news'),
  ...all('state'),
  ...all('plea'),
];
const shopLinks = (n: number) =>
  all('shop')
    .slice(0, 6)
    .filter((_, m) => m === n + 1 || m === 0);
const list: readonly SitePage[] = [
  page('/', [...roots, '/shop/0', '/docs', '/feed', '/board', '/moved/0', '/moved/1']),
  ...(['text', 'article', 'banner', 'item', 'topic', 'card', 'news', 'state', 'plea'] as const).flatMap(
    (kind) => all(kind).map((path) => page(path, ['/'])),
  ),
  ...all('shop').map((path, n) => page(path, shopLinks(n), n === 0 ? all('shop').slice(6) : [])),
  page(
    '/docs',
    all('guide').map((path) => path.slice('/docs'.length)),
  ),
  ...all('guide').map((path) => page(path, ['#/'])),
  page('/feed', all('item')),
  page('/board', ['/'], all('topic')),
];

export const pages: ReadonlyMap<string, SitePage> = new Map(list.map((one) => [one.path, one]));

/** Those that have to run in a browser, the two that lead away by a script among them. */
export const pagesThatNeedScript: readonly string[] = [
  ...needy.flatMap(all),
  '/docs',
  '/feed',
  '/board',
  '/moved/0',
  '/moved/1',
];
