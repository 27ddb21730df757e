import { describe, expect, test } from 'vitest';
import { proveContent } from '../../crawl/reading/prove-content.ts';
import { TrapDetector, type TrapLimits } from './trap-detector.ts';
import type { TrapReason } from './trap-signs.ts';

const today = new Date('2026-03-01T00:00:00Z');
const site = 'https://example.com';

interface Walk {
  readonly detector?: TrapDetector;
  readonly limits?: Partial<TrapLimits>;
  /** What the page of a path says, its links too. Default: something of its own. */
  readonly says?: (path: string) => string;
}

/** How many of the paths were asked for, and the reasons for the others. */
function walk(
  paths: Iterable<string>,
  { detector, limits, says = (path) => `The page of ${path}` }: Walk = {},
) {
  const traps = detector ?? new TrapDetector({}, { today, ...limits });
  let asked = 0;
  const reasons = new Set<TrapReason>();
  for (const path of paths) {
    const reason = traps.verdict(site + path);
    if (reason !== null) {
      traps.skipped(site + path, reason);
      reasons.add(reason);
      continue;
    }
    asked++;
    const text = says(path);
    const resolve = (href: string) => new URL(href, site).href;
    const html = `<title>T</title><p>${text}</p>`;
    traps.learn(site + path, proveContent(site + path, html, text.split(' ').length, resolve, today) ?? null);
  }
  return { asked, reasons: [...reasons] };
}

const count = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const same = () => 'Every page says the same nine words as others';
const noEvents = (path: string) => {
  const [year = '', month = '1'] = path.match(/\d+/g) ?? [];
  const name = new Date(Date.UTC(2000, Number(month) - 1)).toLocaleString('en', { month: 'long' });
  return `${name} ${year}: there are no events`;
};
/** Other words for every number. */
const inWords = (path: string) =>
  `All about ${path.replaceAll(/\D/g, '').replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}`;
const token = (i: number) => `a8f5f167f44f4964e6c998dee827${String(i).padStart(4, '0')}`;
const orders = (names: string[]): string[][] =>
  names.length < 2
    ? [names]
    : names.flatMap((name) => orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]));

describe('a site that repeats itself without end is left, and the reason said:', () => {
  test.each<[string, TrapReason, (i: number) => string]>([
    [
      'paths that go in circles',
      'trap_repeated_segments',
      (i) => `/${'img/css/'.repeat(3 + (i % 5))}x${i}.html`,
    ],
    ['paths that only grow', 'trap_deep_path', (i) => `/a/${count(33 + i, (j) => `level${j}`).join('/')}`],
    ['percent signs encoded again', 'trap_repeated_encoding', (i) => `/a%25252520b${i}`],
    ['queries that grow', 'trap_repeated_parameters', (i) => `/list?${'page=2&'.repeat(3 + i)}x=1`],
    ['tokens', 'trap_session_ids', (i) => `/login?csrf_token=${token(i)}`],
    ['moments', 'trap_session_ids', (i) => `/x?_=${1_700_000_000_000 + i}`],
    ['numbered sessions', 'trap_session_ids', (i) => `/x?session_id=${i}`],
    ['sessions in the path', 'trap_session_ids', (i) => `/s/${token(i)}/cart`],
    [
      'ranges of dates',
      'trap_calendar',
      (i) => `/log?from=2025-01-${(i % 28) + 1}&to=2025-${(Math.floor(i / 28) % 12) + 1}-02`,
    ],
  ])('%s', (_, reason, path) => {
    const { asked, reasons } = walk(new Set(count(600, path)), { says: same });
    expect(reasons).toEqual([reason]);
    expect(asked).toBeLessThan(120);
  });

  test('the same parameters in every order', () => {
    const names = ['color', 'size', 'brand', 'sort', 'price', 'view'];
    const paths = orders(names).map((order) => `/shop?${order.join('=1&')}=1`);
    expect(walk(paths, { says: same })).toEqual({ asked: 304, reasons: ['trap_query_permutations'] });
  });

  test('every combination of filters', () => {
    const paths = count(3_000, (i) => `/shop?a=${i % 10}&b=${((i / 10) % 10) | 0}&c=${(i / 100) | 0}`);
    const { asked, reasons } = walk(paths, { says: same });
    expect(reasons).toEqual(['trap_query_permutations']);
    expect(asked).toBeLessThan(750);
  });

  test.each([
    ['months in the query', (i: number) => `/events?year=${2030 + Math.floor(i / 12)}&month=${(i % 12) + 1}`],
    ['months that go back', (i: number) => `/cal?y=${1980 - Math.floor(i / 12)}&m=${(i % 12) + 1}`],
    ['months in the path', (i: number) => `/calendar/${2030 + Math.floor(i / 12)}/${(i % 12) + 1}/`],
    ['days in one segment', (i: number) => `/agenda/${2030 + Math.floor(i / 300)}-11-${(i % 28) + 1}`],
    [
      'compact days',
      (i: number) => `/calendar/${2030 + Math.floor(i / 28)}11${String((i % 28) + 1).padStart(2, '0')}`,
    ],
  ])('an empty calendar with %s', (_, path) => {
    const { asked, reasons } = walk(new Set(count(3_000, path)), { says: noEvents });
    expect(reasons).toEqual(['trap_calendar']);
    expect(asked).toBeLessThan(120);
  });
});

describe('a large honest site is fetched whole:', () => {
  test.each([
    ['a shop of ids', (i: number) => `/product?id=${i}`],
    ['a shop of eight digits', (i: number) => `/product/${20_000_000 + i * 37}`],
    ['a shop of eight digits in the query', (i: number) => `/product?id=${20_301_201 + i}`],
    [
      'part numbers that look like months',
      (i: number) => `/part/${4000 + Math.floor(i / 12)}-${(i % 12) + 1}`,
    ],
    ['brands', (i: number) => `/shop?brand=b${i}`],
    ['assessments', (i: number) => `/course?assessment=${1_000_000_000_000 + i}`],
    ['talks', (i: number) => `/talks?session=${i}`],
    ['terms', (i: number) => `/talks?session=${2000 + i}-fall-semester`],
    ['a forum', (i: number) => `/viewtopic.php?f=${i % 20}&t=${Math.floor(i / 10)}&start=${(i % 10) * 20}`],
    [
      'filters that all lead to something',
      (i: number) => `/s?a=${i % 20}&b=${((i / 20) % 20) | 0}&c=${(i / 400) | 0}`,
    ],
    ['a search with pages', (i: number) => `/search?q=term${i % 50}&page=${Math.floor(i / 50)}`],
    ['things known by hashes', (i: number) => `/item/${token(i)}`],
    ['a blog', (i: number) => `/${1996 + (i % 30)}/0${(i % 9) + 1}/1${i % 9}/post-${i}`],
    [
      'a daily archive of 20 years',
      (i: number) => `/archive/${2006 + Math.floor(i / 336)}/${(i % 12) + 1}/${(i % 28) + 1}/`,
    ],
    ['map tiles', (i: number) => `/tiles/${i % 8}/${i % 4}/${i % 2}/1/1/${i}`],
    ['languages in the path', (i: number) => `/en/docs/en/docs/en/docs/${i}`],
  ])('%s', (_, path) => {
    const paths = new Set(count(6_720, path));
    expect(walk(paths)).toEqual({ asked: paths.size, reasons: [] });
  });

  test('an old newspaper, whose pages have words of their own', () => {
    const paths = count(
      6_000,
      (i) => `/archive/${1850 + Math.floor(i / 336)}/${(Math.floor(i / 28) % 12) + 1}/${(i % 28) + 1}/`,
    );
    expect(walk(paths, { says: inWords })).toEqual({ asked: 6_000, reasons: [] });
  });

  test('the days of ten years, though their pages say the same', () => {
    const first = Date.UTC(2015, 0, 1);
    const paths = count(3_653, (i) => {
      const day = new Date(first + i * 86_400_000);
      return `/day?year=${day.getUTCFullYear()}&month=${day.getUTCMonth() + 1}&day=${day.getUTCDate()}`;
    });
    expect(walk(paths, { says: same })).toEqual({ asked: 3_653, reasons: [] });
  });

  test('whatever its URLs look like, while its pages have next to nothing to say', () => {
    const thin = () => 'Talk';
    expect(
      walk(
        count(2_000, (i) => `/talks?session=${i}`),
        { says: thin },
      ).reasons,
    ).toEqual([]);
    expect(
      walk(
        count(2_000, (i) => `/item/${token(i)}`),
        { says: thin },
      ).reasons,
    ).toEqual([]);
    const filters = count(2_000, (i) => `/s?a=${i % 20}&b=${((i / 20) % 20) | 0}&c=${(i / 400) | 0}`);
    expect(walk(filters, { says: thin }).reasons).toEqual([]);
  });
});

const list = (n: number) =>
  count(20, (i) => `<div><a href="/p/${n}-${i}"><img src="/p/${n}-${i}.jpg"></a></div>`);
const heading = 'Choose one of the pages below to read all that there is to read';
const filters = (n: number) => `/s?color=${n % 12}&size=${((n / 12) % 12) | 0}&brand=${(n / 144) | 0}`;
const dayOf = (n: number) => new Date(Date.UTC(1950, 0, 1 + n)).toISOString().slice(0, 10);
const own = (path: string) => Number(path.replaceAll(/\D/g, '')) * 7;

describe('nothing is dropped of pages that all say the same in their main text, but differ', () => {
  test.each<[string, string, string, (n: number) => string]>([
    ['in the links of their cards', 'filters', heading, (n) => list(n).join('')],
    ['in other links of the same script', 'filters', heading, (n) => `<a href="/s?product=${n}">one</a>`],
    ['in links alone', 'filters', heading, (n) => `<a href="/p/${inWords(String(n)).slice(10)}">on</a>`],
    ['in links alone', 'days', heading, (n) => `<a href="/p/${n}">on</a>`],
    ['in pictures', 'filters', heading, (n) => `<img src="/i/${n}.jpg">`],
    ['in a word of their lists', 'filters', heading, (n) => `<li>${inWords(String(n))}</li>`],
    ['in the links of their cards', 'days', heading, (n) => list(n).join('')],
    ['in the one link that each has', 'days', heading, (n) => `<a href="/issue/${dayOf(n)}">Read</a>`],
    ['in temperatures', 'days', heading, (n) => `<td>${13 + ((n * 7919) % 1e6)}</td><td>40 to 50</td>`],
    ['in rates', 'days', heading, (n) => `<td>USD 1.${1e5 + ((n * 7919) % 1e5)}</td>`],
    [
      'in the place of a cross',
      'days',
      heading,
      (n) => `<p>${n.toString(2).padStart(12, '0').replaceAll('0', '✓ ').replaceAll('1', '✗ ')}</p>`,
    ],
    ['in pictures and have no text', 'days', '', (n) => `<img src="/i/${n}.jpg" alt="">`],
    ['in a drawing', 'days', heading, (n) => `<svg><path d="M0 ${n * 31}"/></svg>`],
    [
      'in data for a script',
      'days',
      heading,
      (n) => `<script type="application/json">{"v":${n * 31}}</script>`,
    ],
    ['in what a session shows', 'sessions', heading, (n) => list(n).join('')],
    ['in where a session leads', 'sessions', heading, (n) => `<a href="/video?session=${n}">Watch</a>`],
  ])('%s (%s)', (_, kind, text, shown) => {
    const numbers = new Map<string, number>();
    for (const n of count(1_728, (i) => i))
      numbers.set(
        { filters: filters(n), days: `/at/${dayOf(n)}`, sessions: `/t?session=${n}` }[kind] as string,
        n,
      );
    const says = (path: string) => text + shown(numbers.get(path) as number);
    expect(walk(numbers.keys(), { says })).toEqual({ asked: numbers.size, reasons: [] });
  });

  test('in the days that empty months lead to, until the days are empty too', () => {
    const months = count(1_200, (i) => `/archive/${1850 + ((i / 12) | 0)}/${(i % 12) + 1}/`);
    const grid = (path: string) =>
      count(28, (i) => `<td><a href="${path}${i + 1}/">${i + 1}</a></td>`).join('');
    const says = (path: string) => (/\d\/\d+\/\d+\/$/.test(path) ? `${heading} ${own(path)}` : grid(path));
    const detector = new TrapDetector({}, { today });
    expect(walk(months, { says, detector })).toEqual({ asked: 1_200, reasons: [] });
    const days = (list: string[]) => list.flatMap((path) => count(28, (i) => `${path}${i + 1}/`));
    expect(walk(days(months.slice(0, 100)), { says, detector }).reasons).toEqual([]);

    const empty = new TrapDetector({}, { today });
    const saysNothing = (path: string) => (/\d\/\d+\/\d+\/$/.test(path) ? heading : grid(path));
    walk(months.slice(0, 200), { says: saysNothing, detector: empty });
    expect(walk(days(months.slice(0, 200)), { says: saysNothing, detector: empty }).asked).toBeLessThan(120);
    expect(walk(months.slice(200), { says: saysNothing, detector: empty }).asked).toBeLessThan(15);
  });
});

test('pages that say the same for a while are dropped no longer than they do', () => {
  const paths = count(3_000, (i) => `/at/${dayOf(i)}`);
  const down = new Set(paths.slice(200, 600));
  const says = (path: string) =>
    down.has(path) ? 'We are down for maintenance and back in a moment' : `${heading} ${own(path)}`;
  const { asked } = walk(paths, { says });
  expect(asked).toBeGreaterThan(2_400);
  expect(asked).toBeLessThan(3_000);
});

test('what was dropped of pages that go on after a long pause is wanted after all', () => {
  const days = (from: number, to: number) => count(to - from, (i) => `/at/${dayOf(from + i)}`);
  const dropped: string[] = [];
  const detector = new TrapDetector({}, { today });
  const says = (path: string) => (path < `/at/${dayOf(700)}` ? heading : `${heading} ${own(path)}`);
  for (const path of days(0, 700)) if (walk([path], { detector, says }).asked === 0) dropped.push(path);
  expect(dropped.length).toBeGreaterThan(500);
  expect(detector.refuted).toEqual([]);
  expect(detector.isWanted(site + dropped[0])).toBe(false);
  for (const path of days(700, 1_700)) if (walk([path], { detector, says }).asked === 0) dropped.push(path);
  expect(detector.refuted).toHaveLength(1);
  expect(dropped.every((path) => detector.isWanted(site + path))).toBe(true);
  expect(detector.isWanted(`${site}/elsewhere/${dayOf(3)}`)).toBe(false);
  // A later run knows as well.
  expect(new TrapDetector({}, { today }, detector.refuted).isWanted(site + dropped[0])).toBe(true);
  detector.forgetRefuted();
  expect(detector.isWanted(site + dropped[0])).toBe(false);
});

describe('a trap whose pages are all new', () => {
  const days = (n: number) =>
    count(
      n,
      (i) => `/cal?date=${2030 + Math.floor(i / 336)}-${(Math.floor(i / 28) % 12) + 1}-${(i % 28) + 1}`,
    );

  test('ends at the cap', () => {
    expect(walk(days(12_000), { says: inWords })).toEqual({ asked: 10_000, reasons: ['trap_calendar'] });
  });

  test('ends there over several runs, give or take a step for each', () => {
    let kept: Record<string, number> = {};
    let asked = 0;
    for (const run of [0, 1, 2, 3, 4]) {
      const detector = new TrapDetector(kept, { today });
      asked += walk(days(18_000).slice(run * 3_600, (run + 1) * 3_600), { detector, says: inWords }).asked;
      kept = detector.changedCounts() ?? kept;
    }
    expect(asked).toBeGreaterThanOrEqual(10_000);
    expect(asked).toBeLessThan(10_000 + 5 * 500);
  });
});

test('a repeated page counts only in a row', () => {
  let n = 0;
  const says = () => `Seven words and then one more: ${n++ % 40 === 0 ? n : 'same'} here`;
  expect(
    walk(
      count(3_000, (i) => `/x?sid=${i}`),
      { says },
    ).reasons,
  ).toEqual([]);
});

test('a verdict has no consequences', () => {
  const detector = new TrapDetector({}, { today });
  for (let i = 0; i < 1_000; i++) detector.verdict(`${site}/cal?date=2040-01-${(i % 28) + 1}`);
  expect(walk(['/cal?date=2040-01-29'], { detector })).toEqual({ asked: 1, reasons: [] });
});
