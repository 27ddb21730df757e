import { describe, expect, test } from 'vitest';
import { createTrapDetector, type TrapLimits, type TrapReason } from './trap-detector.ts';

const today = new Date('2026-03-01T00:00:00Z');
const site = 'https://example.com';

/** How many of the paths were let through, and the reasons for the others. */
function walk(paths: Iterable<string>, limits: Partial<TrapLimits> = {}) {
  const detector = createTrapDetector({ today, ...limits });
  let admitted = 0;
  const reasons = new Set<TrapReason>();
  for (const path of paths) {
    const reason = detector.verdict(site + path);
    if (reason === null) admitted++;
    else reasons.add(reason);
  }
  return { admitted, reasons: [...reasons] };
}

const count = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const orders = (names: string[]): string[][] =>
  names.length < 2
    ? [names]
    : names.flatMap((name) => orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]));

describe('an endless site is left after a while, and the reason said:', () => {
  test('paths that go in circles', () => {
    const circles = count(50, (i) => `/${'img/css/'.repeat(i)}x.html`);
    expect(walk(circles)).toEqual({ admitted: 3, reasons: ['trap_repeated_segments', 'trap_deep_path'] });
    expect(walk(count(30, (i) => `${'/a1'.repeat(i)}/`)).reasons).toEqual(['trap_repeated_segments']);
    expect(walk([`/a/x1/a/x2/a/x3/a/x4/a/x5/a/`, '/foo/1/foo/2/foo/3/foo/4/foo/5/foo/6']).reasons).toEqual([
      'trap_repeated_segments',
    ]);
  });

  test('paths that only grow', () => {
    const deep = count(100, (i) => `/${count(i, (j) => `level${j * 31 + i}`).join('/')}`);
    expect(walk(deep)).toEqual({ admitted: 33, reasons: ['trap_deep_path'] });
  });

  test('percent signs encoded again and again', () => {
    expect(walk(['/a%2520b', '/a%252520b', '/a%25252520b']).reasons).toEqual(['trap_repeated_encoding']);
  });

  test('queries that grow', () => {
    expect(walk(count(60, (i) => `/list?${'page=2&'.repeat(i)}x=1`))).toEqual({
      admitted: 3,
      reasons: ['trap_repeated_parameters'],
    });
  });

  test('the same parameters in every order', () => {
    const names = ['color', 'size', 'brand', 'sort', 'price', 'view'];
    const { admitted, reasons } = walk(orders(names).map((order) => `/shop?${order.join('=1&')}=1`));
    expect(reasons).toEqual(['trap_query_permutations']);
    expect(admitted).toBe(100);
  });

  test('every combination of filters', () => {
    const combinations = count(
      10_000,
      (i) => `/shop?color=${i % 10}&size=${((i / 10) % 10) | 0}&brand=${(i / 100) | 0}`,
    );
    const few = combinations.filter((_, i) => i < 3_000);
    expect(walk(few)).toEqual({ admitted: 500, reasons: ['trap_query_permutations'] });
  });

  test('tokens made anew for every visitor', () => {
    const token = (i: number) => `a8f5f167f44f4964e6c998dee827${String(i).padStart(4, '0')}`;
    expect(walk(count(100, (i) => `/login?csrf_token=${token(i)}`))).toEqual({
      admitted: 20,
      reasons: ['trap_session_ids'],
    });
    expect(walk(count(100, (i) => `/x?_=${1_700_000_000_000 + i}`)).reasons).toEqual(['trap_session_ids']);
  });

  test.each([
    ['months in the query', (i: number) => `/events?year=${2026 + Math.floor(i / 12)}&month=${(i % 12) + 1}`],
    [
      'dates in the query',
      (i: number) => `/cal?view=day&date=${2027 + Math.floor(i / 300)}-05-${(i % 28) + 1}`,
    ],
    ['months in the path', (i: number) => `/calendar/${2026 + Math.floor(i / 12)}/${(i % 12) + 1}/`],
    ['days in one segment', (i: number) => `/agenda/${2027 + Math.floor(i / 300)}-11-${(i % 28) + 1}`],
  ])('calendars with %s', (_, path) => {
    const { admitted, reasons } = walk(new Set(count(3_000, path)));
    expect(reasons).toEqual(['trap_calendar']);
    expect(admitted).toBeLessThan(150);
  });

  test('calendars that go back for ever', () => {
    const { admitted, reasons } = walk(
      count(6_000, (i) => `/cal?y=${2026 - Math.floor(i / 12)}&m=${12 - (i % 12)}`),
    );
    expect(reasons).toEqual(['trap_calendar']);
    expect(admitted).toBeLessThan(31 * 12 + 80);
  });
});

describe('a large honest site is not held up:', () => {
  test.each([
    ['a shop of ids', (i: number) => `/product?id=${i}`],
    ['a forum', (i: number) => `/viewtopic.php?f=${i % 20}&t=${Math.floor(i / 10)}&start=${(i % 10) * 20}`],
    [
      'an old content system',
      (i: number) => `/index.php?option=com_content&view=article&id=${i}&Itemid=${i % 7}`,
    ],
    ['a search with pages', (i: number) => `/search?q=term${i % 50}&page=${Math.floor(i / 50)}`],
    [
      'things known by random ids',
      (i: number) => `/item?id=a8f5f167f44f4964e6c998dee8${String(i).padStart(6, '0')}`,
    ],
    [
      'a blog with dates and titles',
      (i: number) => `/${1996 + (i % 30)}/0${(i % 9) + 1}/1${i % 9}/post-${i}`,
    ],
    [
      'a daily archive of 20 years',
      (i: number) => `/archive/${2006 + Math.floor(i / 336)}/${(i % 12) + 1}/${(i % 28) + 1}/`,
    ],
    ['map tiles', (i: number) => `/tiles/${i % 8}/${i % 4}/${i % 2}/1/1/${i}`],
    ['versions', (i: number) => `/docs/v1/api/v1/page-${i}`],
  ])('%s', (_, path) => {
    const paths = new Set(count(6_720, path));
    expect(walk(paths)).toEqual({ admitted: paths.size, reasons: [] });
  });

  test('what was admitted stays admitted after the trap has closed', () => {
    const detector = createTrapDetector({ today, maxQueryShapes: 2 });
    const verdicts = ['a=1', 'b=1', 'c=1', 'a=2', 'c=2', 'b=9'].map((query) =>
      detector.verdict(`${site}/?${query}`),
    );
    const closed = 'trap_query_permutations';
    expect(verdicts).toEqual([null, null, closed, null, closed, null]);
  });
});

test('its memory has a limit, however many paths there are', () => {
  const { admitted } = walk(
    count(20_000, (i) => `/p${i}?a=1`),
    { maxPaths: 10 },
  );
  expect(admitted).toBe(20_000);
});
