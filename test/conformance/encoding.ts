import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeHtml } from '../../packages/server/src/web/charset/decode-html.ts';
import type { ConformanceSet } from './conformance-set.ts';

/** html5lib's cases: bytes of a page, and the encoding a browser ends up with. */
export const encoding: ConformanceSet = {
  name: 'encoding',
  async run(folder) {
    const files = (await readdir(join(folder, 'encoding'))).filter((file) => file.endsWith('.dat'));
    const misses: string[] = [];
    let total = 0;
    for (const file of files) {
      const text = await readFile(join(folder, 'encoding', file), 'latin1');
      for (const [index, entry] of text.split('#data\n').slice(1).entries()) {
        const [data = '', expected = ''] = entry.split('\n#encoding\n');
        total++;
        const bytes = Buffer.from(data, 'latin1');
        const found = decodeHtml(bytes);
        const wanted = expected.trim().toLowerCase();
        if (found.encoding !== wanted) misses.push(`${file} ${index}: ${found.encoding} should be ${wanted}`);
      }
    }
    return { passed: total - misses.length, total, misses };
  },
};
