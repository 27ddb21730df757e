import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuSeconds } from '../../../../../test/cpu-seconds.ts';
import { parseRobots } from './parse-robots.ts';
import { createRobotsMatcher } from './robots-matcher.ts';
import { allowAll, disallowAll, productToken, robotsCacheSeconds, robotsVerdict } from './robots-rules.ts';

const parse = (...lines: string[]) => parseRobots(Buffer.from(lines.join('\n')));
const matcher = (lines: string[], agent = 'Holdfast') => createRobotsMatcher(parse(...lines), agent);
const allows = (lines: string[], path: string, agent?: string) =>
  matcher(lines, agent).allows(`https://example.com${path}`);

describe('groups', () => {
  test('of the same agent are one, wherever they stand', () => {
    const lines = [
      'User-agent: a',
      'Disallow: /x',
      'User-agent: *',
      'Disallow: /',
      'user-agent: A',
      'Disallow: /y',
    ];
    expect(['/x', '/y', '/z'].map((path) => allows(lines, path, 'a'))).toEqual([false, false, true]);
  });

  test('of an agent hide those for everyone, even with nothing in them', () => {
    const lines = ['User-agent: *', 'Disallow: /', 'User-agent: holdfast', 'Disallow:'];
    expect(allows(lines, '/a')).toBe(true);
    expect(allows(lines, '/a', 'other')).toBe(false);
  });

  test('start with several agents; only a rule ends the list', () => {
    const lines = [
      'User-agent: a',
      '',
      'Sitemap: /s.xml',
      'Crawl-delay: 3',
      'Unknown: x',
      'User-agent: b',
      'Disallow: /x',
    ];
    expect(allows(lines, '/x', 'a')).toBe(false);
    expect(allows(lines, '/x', 'b')).toBe(false);
    expect(matcher(lines, 'a').crawlDelaySeconds).toBe(3);
    expect(matcher(lines, 'b').crawlDelaySeconds).toBeUndefined();
  });

  test('are found by the product token, without version and case', () => {
    const lines = ['User-agent: HOLDFAST/2.0 (crawler)', 'Disallow: /'];
    expect(allows(lines, '/')).toBe(false);
    expect(allows(lines, '/', 'holdfastbot')).toBe(true);
    expect(allows(lines, '/', '')).toBe(true);
    expect(productToken('Holdfast/1.0 (+https://example.com/)')).toBe('Holdfast');
  });

  test('have no rules before their first agent', () => {
    expect(allows(['Disallow: /', 'User-agent: *', 'Allow: /a'], '/b')).toBe(true);
  });
});

describe('rules', () => {
  test('match from the start; the longest decides, and allow in a tie', () => {
    const lines = ['User-agent: *', 'Disallow: /a', 'Allow: /a/b', 'Disallow: /c', 'Allow: /c'];
    expect(['/a', '/ab', '/a/b/c', '/c', '/x/a'].map((path) => allows(lines, path))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  test('know * anywhere and $ at the end', () => {
    const lines = ['User-agent: *', 'Disallow: /*.php$', 'Disallow: *secret*x', 'Disallow: /a$b'];
    const paths = ['/x.php', '/x.php?y', '/x.phpa', '/is/secret/ax', '/is/secret', '/a$b', '/a'];
    expect(paths.map((path) => allows(lines, path))).toEqual([false, true, true, false, true, false, true]);
  });

  test('compare percent-encoding by meaning (RFC 9309, 2.2.2 and 2.2.3)', () => {
    const lines = [
      'User-agent: *',
      'Disallow: /%7Ejoe/',
      'Disallow: /ü',
      'Disallow: /a%2fb',
      'Disallow: /x%2Ay',
      'Disallow: /p q',
    ];
    const paths = ['/~joe/', '/%C3%BC', '/%c3%bc', '/a%2Fb', '/a/b', '/x*y', '/xzy', '/p%20q'];
    expect(paths.map((path) => allows(lines, path))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  test('include the query and leave out the fragment', () => {
    expect(allows(['User-agent: *', 'Disallow: /*?'], '/a?b')).toBe(false);
    expect(allows(['User-agent: *', 'Disallow: /*?'], '/a#?b')).toBe(true);
    expect(
      createRobotsMatcher(parse('User-agent: *', 'Disallow: /$'), 'a').allows('https://example.com'),
    ).toBe(false);
  });

  test('that want to stall a crawler do not', async () => {
    const lines = [
      'User-agent: *',
      ...Array.from({ length: 100 }, (_, i) => `Disallow: /${'*a'.repeat(2000)}${i}$`),
    ];
    const hostile = matcher(lines);
    const ask = () => expect(hostile.allows(`https://example.com/${'a'.repeat(2000)}`)).toBe(true);
    expect(await cpuSeconds(ask)).toBeLessThan(2);
  });
});

describe('what people get wrong', () => {
  test.each(['Disalow: /', 'dissallow: /', 'DISALLOW : /', 'disallow /', 'Disallow:/ # all of it'])(
    '%s',
    (line) => expect(allows(['useragent: *', line], '/a')).toBe(false),
  );

  test('other words are no rules', () => {
    for (const line of [
      'Allow: /',
      'No: /',
      'Noindex: /',
      ': /',
      'Disallow',
      'disallow / please',
      '\x11\xbfdisallow: /',
    ])
      expect(allows(['User-agent: *', line], '/a')).toBe(true);
  });

  test('line ends and byte order marks of all kinds', () => {
    const text = 'User-agent: *\nDisallow: /a\n';
    const files = [
      Buffer.from(text.replaceAll('\n', '\r\n')),
      Buffer.from(text.replaceAll('\n', '\r')),
      Buffer.from(`\ufeff${text}`),
      Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(text)]),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      Buffer.concat([Buffer.from([0x80, 0xff, 0x0a]), Buffer.from(text)]),
    ];
    for (const file of files)
      expect(createRobotsMatcher(parseRobots(file), 'x').allows('https://example.com/a')).toBe(false);
  });

  test('sitemaps twice, without their key, or relative', () => {
    const { sitemaps } = parse(
      'Sitemap: /s.xml',
      'sitemap: /s.xml',
      'https://example.com/sitemap_1.xml.gz',
      'Sitemap:',
      'Sitemap: /ü.xml',
    );
    expect(sitemaps).toEqual(['/s.xml', 'https://example.com/sitemap_1.xml.gz', '/ü.xml']);
  });

  test('delays that are no numbers', () => {
    const delay = (value: string) => matcher(['User-agent: *', `Crawl-delay: ${value}`]).crawlDelaySeconds;
    expect(['10', '0.5', '.5', '5 # s', '-1', 'soon', ''].map(delay)).toEqual([
      10,
      0.5,
      0.5,
      5,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('at least 500 KiB are read, and half a rule at the cut is no rule', () => {
  const filler = `# ${'x'.repeat(97)}\n`;
  const before = Buffer.from(`${filler.repeat(5_119)}User-agent: *\nDisallow: /a\n`);
  expect(before.length).toBeGreaterThan(500 * 1024 - 100);
  const long = Buffer.concat([before, Buffer.from(`Disallow: /b${'c'.repeat(20_000)}`)]);
  const rules = createRobotsMatcher(parseRobots(long), 'x');
  expect(rules.allows('https://example.com/a')).toBe(false);
  expect(rules.allows(`https://example.com/b${'c'.repeat(30_000)}`)).toBe(true);
});

test('a rule that is cut where nothing more of its line would be read is a rule', () => {
  const filler = `# ${'x'.repeat(97)}\n`;
  const before = `${filler.repeat(5_000)}User-agent: *\n`;
  for (const rule of [`Disallow: /a # ${'y'.repeat(100_000)}`, `Disallow: /a${'c'.repeat(100_000)}`]) {
    const rules = createRobotsMatcher(parse(before + rule), 'x');
    expect(rules.allows(`https://example.com/a${'c'.repeat(100_000)}`)).toBe(false);
  }
});

test('any bytes make rules that survive JSON', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.webUrl(), (bytes, url) => {
      const rules = parseRobots(bytes);
      expect(JSON.parse(JSON.stringify(rules))).toEqual(rules);
      createRobotsMatcher(rules, 'x').allows(url);
    }),
  );
});

test('the answer for robots.txt decides where there is nothing to parse', () => {
  const verdicts = [200, 204, 301, 403, 404, 429, 500, 503, undefined].map(robotsVerdict);
  const [parsed, allowed, refused] = ['parse', 'allow_all', 'disallow_all'];
  expect(verdicts).toEqual([parsed, parsed, allowed, allowed, allowed, refused, refused, refused, refused]);
  expect(robotsCacheSeconds.disallow_all).toBeLessThan(robotsCacheSeconds.parse);
  expect(createRobotsMatcher(allowAll, 'x').allows('https://example.com/a')).toBe(true);
  expect(createRobotsMatcher(disallowAll, 'x').allows('https://example.com/a')).toBe(false);
});
