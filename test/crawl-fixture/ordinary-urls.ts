import fc from 'fast-check';

const word = fc.constantFrom(
  ...[
    'shop',
    'brand',
    'brands',
    'assessment',
    'session',
    'sessions',
    'calendar',
    'archive',
    'docs',
    'en',
    'de',
  ],
  ...[
    'Blog',
    'blog',
    'random',
    'events',
    'item',
    'p',
    'search',
    'about-us',
    'index.html',
    'a_b',
    'q&a',
    'v1.2',
  ],
  ...['2024-fall-semester', 'iphone-15-pro-max-256', 'summer-sale-2024', 'TheGreatGatsby1925', 'über', 'C++'],
);
const digits = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(9), { minLength: min - 1, maxLength: max - 1 }))
    .map(([first, rest]) => [first, ...rest].join(''));
const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((chars) => chars.join(''));
const slug = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'), {
    minLength: 11,
    maxLength: 24,
  })
  .map((chars) => chars.join(''));
const day = fc
  .date({ min: new Date('1998-01-01'), max: new Date('2029-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const id = fc.oneof(digits(1, 4), digits(8, 12), hex(24), hex(32), hex(40), fc.uuid(), slug);

const segment = fc.oneof(
  { weight: 4, arbitrary: word.map(encodeURIComponent) },
  { weight: 3, arbitrary: id },
  { weight: 2, arbitrary: day },
  { weight: 1, arbitrary: day.map((date) => date.replaceAll('-', '/')) },
  { weight: 1, arbitrary: day.map((date) => date.replaceAll('-', '')) },
  {
    weight: 1,
    arbitrary: fc.tuple(word, digits(1, 3)).map(([name, n]) => `${encodeURIComponent(name)};v=${n}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'en/docs/en/docs/en', 'x/y/x/y', '(draft)', 'a:b', '@me', 'f(x)'),
  },
);
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '', '/', '.html'))
  .map(([segments, end]) => `/at/${segments.join('/')}${end}`);

const name = fc.constantFrom(
  ...[
    'id',
    'p',
    'page',
    'q',
    'color',
    'size',
    'brand',
    'rand',
    'year',
    'month',
    'day',
    'date',
    'from',
    'to',
    'sort',
  ],
  ...[
    'session',
    'session_id',
    'sessionid',
    'sid',
    's',
    'sess',
    'cfid',
    'PHPSESSID',
    'assessment',
    'ticket',
    'ref',
  ],
  ...['source', 'pk_id', 'scid', 'utm_zone', 'hsa_plan', 'filter[a]', 'lang', 'ts', 'token', '_'],
);
/** Ids that were drawn at random are no ordinary value of `sid`; a session parameter loses them. */
const value = fc.oneof(
  digits(1, 4),
  digits(8, 13),
  day,
  day.map((date) => date.replaceAll('-', '')),
  word.map(encodeURIComponent),
  fc
    .tuple(word, word, fc.constantFrom('+', '%20'))
    .map(([a, b, space]) => [a, b].map(encodeURIComponent).join(space)),
  fc.constantFrom('', '1', '2', '3', '4', 'red', 'blue', 'XL'),
);
const query = fc
  .array(
    fc.oneof(
      fc.tuple(name, value).map((pair) => pair.join('=')),
      name,
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((pairs) => `?${pairs.join('&')}`);

/** URLs of one kind, as a list or an archive has them. */
const family = fc
  .tuple(fc.nat(14), fc.integer({ min: 200, max: 700 }), fc.integer({ min: 0, max: 99_999_999 }))
  .map(([kind, count, seed]) => Array.from({ length: count }, (_, i) => members[kind]?.(i, seed) ?? ''));
const dayOf = (i: number) => new Date(Date.UTC(2018, 0, 1 + i)).toISOString().slice(0, 10).split('-');
const longAgo = (i: number) => new Date(Date.UTC(1950, 0, 1 + i)).toISOString().slice(0, 10);
const members: ((i: number, seed: number) => string)[] = [
  (i, seed) => `/product/${String((seed + i * 7919) % 100_000_000).padStart(8, '0')}`,
  (i, seed) => `/product?id=${20_000_101 + ((seed + i * 31) % 9_999_999)}`,
  (i) => `/brands?brand=b${i}`,
  (i) => `/list?p=${i + 1}`,
  (i) => `/talks?session_id=${i}`,
  (i) => `/terms?session=${1900 + i}-fall-semester`,
  (i) => `/filter?color=c${i % 9}&size=s${Math.floor(i / 9) % 9}&brand=b${Math.floor(i / 81)}`,
  (i) => `/day?year=${dayOf(i)[0]}&month=${dayOf(i)[1]}&day=${dayOf(i)[2]}`,
  (i) => `/${dayOf(i).join('/')}/`,
  (i) => `/agenda/${dayOf(i).join('-')}`,
  (i, seed) => `/course?assessment=${1_000_000_000_000 + seed + i}`,
  (i) => `/archive/${longAgo(i).replaceAll('-', '/')}/`,
  (i) => `/weather/${longAgo(i)}`,
  (i) => `/rates?date=${longAgo(i)}`,
  (i) => `/catalogue?cat=${i % 30}&page=${1 + Math.floor(i / 30)}&lang=en`,
];

/** Families whose URLs look most like traps, larger than what proves one. */
export const suspectFamilies = {
  archive: Array.from({ length: 300 }, (_, i) => members[11]?.(i, 0) ?? ''),
  weather: Array.from({ length: 300 }, (_, i) => members[12]?.(i, 0) ?? ''),
  catalogue: Array.from({ length: 900 }, (_, i) => members[14]?.(i, 0) ?? ''),
};

/** Paths and queries of a site, each as a page would link to it. */
export const ordinaryUrls: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.array(fc.tuple(path, fc.option(query, { nil: '' })), { minLength: 50, maxLength: 250 }),
    fc.array(family, { minLength: 1, maxLength: 2 }),
  )
  .map(([mixed, families]) => [...mixed.map(([path, query]) => path + query), ...families.flat()]);
