import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRobots } from '../../packages/server/src/web/robots/parse-robots.ts';
import { createRobotsMatcher } from '../../packages/server/src/web/robots/robots-matcher.ts';
import type { ConformanceSet } from './conformance-set.ts';

interface Expectation {
  readonly file: string;
  readonly test: number;
  readonly robotstxt_b64: string;
  readonly url: string;
  readonly useragent: string;
  readonly expected: 'ALLOWED' | 'DISALLOWED';
}

/** Google's certification tests. */
export const robots: ConformanceSet = {
  name: 'robots',
  async run(folder) {
    const cases: Expectation[] = JSON.parse(await readFile(join(folder, 'robots/google-ctc.json'), 'utf8'));
    const misses: string[] = [];
    for (const { file, test, robotstxt_b64, url, useragent, expected } of cases) {
      const rules = parseRobots(Buffer.from(robotstxt_b64, 'base64'));
      // By way of JSON, as in the database's cache.
      const matcher = createRobotsMatcher(JSON.parse(JSON.stringify(rules)), useragent);
      const answer = matcher.allows(url) ? 'ALLOWED' : 'DISALLOWED';
      if (answer !== expected) misses.push(`${file} ${test}: ${useragent} ${url} should be ${expected}`);
    }
    return { passed: cases.length - misses.length, total: cases.length, misses };
  },
};

/** RFC 9309, 5.1 and 5.2, and 2.2.1: agent, path, whether it may be fetched. */
const answers: Readonly<Record<string, readonly (readonly [string, string, boolean])[]>> = {
  'rfc9309-example-simple-robots.txt': [
    ['anybot', '/a.gif', false],
    ['anybot', '/example/page.html', false],
    ['anybot', '/publications/x.html', true],
    ['anybot', '/other', true],
    ['foobot', '/example/page.html', true],
    ['foobot', '/example/allowed.gif', true],
    ['foobot', '/publications/', false],
    ['barbot', '/example/page.html', false],
    ['bazbot', '/example/page.html', false],
    ['bazbot', '/a.gif', true],
    ['quxbot', '/example/page.html', true],
  ],
  'rfc9309-example-longest-match-robots.txt': [
    ['foobot', '/example/page/', true],
    ['foobot', '/example/page/disallowed.gif', false],
  ],
  'rfc9309-example-rule-group-merging.txt': [
    ['examplebot', '/foo', false],
    ['examplebot', '/bar', false],
    ['examplebot', '/baz', false],
    ['otherbot', '/baz', true],
    ['bazbot', '/foo', true],
    ['bazbot', '/baz', false],
  ],
  'robots-with-utf8-bom.txt': [['foobot', '/profile', false]],
  'robots-with-utf16le-bom.txt': [['foobot', '/profile', false]],
  'robots-with-utf16be-bom.txt': [['foobot', '/profile', false]],
  'crawl-delay-group-merging.txt': [
    ['mybot', '/private/', false],
    ['mybot', '/login/', true],
    ['yourbot', '/login/', false],
    ['anybot', '/private/', true],
  ],
  'merge-rules.txt': [
    ['wget', '/foo/bar', true],
    ['wget', '/tmp/bar', false],
  ],
};
const delays: Readonly<Record<string, readonly (readonly [string, number | undefined])[]>> = {
  'astore.amazon.com-robots.txt': [['anybot', 5]],
  'dos-line-endings.txt': [['anybot', 1]],
  'twitter.com-robots.txt': [
    ['googlebot', undefined],
    ['slurp', 1],
    ['msnbot', 10],
  ],
  'crawl-delay-group-merging.txt': [
    ['mybot', 10],
    ['yourbot', undefined],
    ['anybot', 30],
  ],
};
const sitemaps: Readonly<Record<string, number>> = {
  'relative-sitemap-robots.txt': 1,
  'sitemap-robots-dedup.txt': 1,
  'sitemap-robots.txt': 3,
  'robots-with-utf16le-bom.txt': 1,
  'www.flot.com-robots.txt': 1,
};

/** Real files and the RFC's own; what each must answer is written in the RFC or in the file itself. */
export const robotsFiles: ConformanceSet = {
  name: 'robots-files',
  async run(folder) {
    const files = await readdir(join(folder, 'robots/crawler-commons'));
    const misses: string[] = [];
    for (const file of files) {
      const rules = parseRobots(await readFile(join(folder, 'robots/crawler-commons', file)));
      const matcherOf = (agent: string) => createRobotsMatcher(rules, agent);
      const wrong = [
        ...(answers[file] ?? []).filter(
          ([agent, path, allowed]) => matcherOf(agent).allows(`http://a.com${path}`) !== allowed,
        ),
        ...(delays[file] ?? []).filter(([agent, delay]) => matcherOf(agent).crawlDelaySeconds !== delay),
        ...(rules.sitemaps.length === (sitemaps[file] ?? rules.sitemaps.length) ? [] : [rules.sitemaps]),
      ];
      if (wrong.length > 0) misses.push(`${file}: ${JSON.stringify(wrong)}`);
    }
    return { passed: files.length - misses.length, total: files.length, misses };
  },
};
