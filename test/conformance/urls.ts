import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveLink } from '../../packages/server/src/web/urls/plain-link.ts';
import type { ConformanceSet } from './conformance-set.ts';

interface UrlCase {
  readonly input: string;
  readonly base: string | null;
  readonly href?: string;
  readonly failure?: true;
}

/** The web platform's cases for parsing URLs. What is missed, Node's own parser misses. */
export const urls: ConformanceSet = {
  name: 'urls',
  async run(folder) {
    const entries: (string | UrlCase)[] = JSON.parse(
      await readFile(join(folder, 'urls/urltestdata.json'), 'utf8'),
    );
    const cases = entries.filter((entry) => typeof entry !== 'string');
    const misses = cases.flatMap(({ input, base, href, failure }) => {
      const found = resolveLink(input, base ?? undefined);
      const expected = failure ? null : href;
      return found === expected ? [] : [`${JSON.stringify({ input, base })}: ${found} should be ${expected}`];
    });
    return { passed: cases.length - misses.length, total: cases.length, misses };
  },
};

/** Relative links as crawlers meet them. */
export const urlResolve: ConformanceSet = {
  name: 'url-resolve',
  async run(folder) {
    const lines = (await readFile(join(folder, 'urls/url-resolve.csv'), 'utf8')).split('\n');
    const cases = lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).map(fields);
    const misses = cases.flatMap(([input = '', base = '', expected]) => {
      const found = resolveLink(input, base || undefined);
      return found === expected ? [] : [`${input} at ${base}: ${found} should be ${expected}`];
    });
    return { passed: cases.length - misses.length, total: cases.length, misses };
  },
};

const fields = (line: string): string[] =>
  [...line.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)].map(
    ([, quoted, plain = '']) => quoted ?? plain.trim(),
  );
