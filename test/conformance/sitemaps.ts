import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readSitemap } from '../../packages/server/src/web/sitemaps/read-sitemap.ts';
import type { ConformanceSet } from './conformance-set.ts';

/** Real sitemaps of many kinds: every listed URL is found, and none invented. */
export const sitemaps: ConformanceSet = {
  name: 'sitemaps',
  async run(folder) {
    const root = join(folder, 'sitemaps');
    const all = await readdir(root, { recursive: true });
    const files = all.filter((file) => ['.xml', '.txt', '.rss', '.gz'].includes(extname(file))).sort();
    const misses: string[] = [];
    for (const file of files) {
      const bytes = await readFile(join(root, file));
      const listed = listedIn(bytes);
      const found: string[] = [];
      // In small pieces, so that every token is cut somewhere.
      for await (const { url } of readSitemap(pieces(bytes, 7))) found.push(url);
      if (JSON.stringify(found) !== JSON.stringify(listed) || listed.length === 0)
        misses.push(
          `${file}: found ${found.length} of ${listed.length}: ${JSON.stringify(found.slice(0, 5))}`,
        );
    }
    return { passed: files.length - misses.length, total: files.length, misses };
  },
};

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Another way to the same list: regular expressions over the whole text. */
function listedIn(bytes: Buffer): string[] {
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8').replace(/^\ufeff/, '');
  if (!text.trimStart().startsWith('<'))
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const document = text.replace(/<!--[\s\S]*?-->/g, '');
  const blocks = [...document.matchAll(/<((?:\w+:)?(?:url|sitemap|item|entry))>([\s\S]*?)<\/\1>/g)];
  return blocks.map(([, , block = '']) => {
    const loc =
      /<(?:sit:)?loc>([^<]*)/.exec(block)?.[1] ??
      /<link>(.*?)<\/link>/.exec(block)?.[1] ??
      /<link (?:[^>]*? )?href="([^"]*)"/.exec(block)?.[1] ??
      /<guid[^>]*>([^<]*)/.exec(block)?.[1] ??
      block;
    return loc
      .replace(/<!\[CDATA\[(.*?)\]\]>/g, '$1')
      .replaceAll('&amp;', '&')
      .trim();
  });
}
