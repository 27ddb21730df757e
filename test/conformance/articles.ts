import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extractPage } from '../../packages/server/src/web/html/extract-page.ts';
import { bootstrap } from './bootstrap.ts';
import type { ConformanceSet } from './conformance-set.ts';

interface Article {
  readonly url: string;
  readonly articleBody: string;
}

/** Pages below this are listed with --verbose. */
const good = 0.9;

/**
 * Main content against the body that people marked, by the measure of the benchmark's own evaluate.py: precision and
 * recall over shingles of four words, each averaged over the pages, and F1 of the two means. The text is compared, not
 * the markdown: the body of an article is without its headline, captions and links' addresses.
 */
export const articles: ConformanceSet = {
  name: 'articles',
  async run(folder) {
    const truth: Record<string, Article> = JSON.parse(
      await readFile(join(folder, 'articles/ground-truth.json'), 'utf8'),
    );
    const misses: string[] = [];
    const pages: Score[] = [];
    for (const [key, { url, articleBody }] of Object.entries(truth)) {
      const html = gunzipSync(await readFile(join(folder, 'articles/html', `${key}.html.gz`))).toString(
        'utf8',
      );
      const text = extractPage(html, url, { markdown: true }).content?.text ?? '';
      const page = compare(shingles(articleBody), shingles(text));
      pages.push(page);
      if (f1(page) < good)
        misses.push(`${url}: precision ${page.precision.toFixed(3)}, recall ${page.recall.toFixed(3)}`);
    }
    const interval = bootstrap(pages, (drawn) => f1(meanOf(drawn)));
    return { total: pages.length, f1: Number(f1(meanOf(pages)).toFixed(4)), interval, misses };
  },
};

interface Score {
  readonly precision: number;
  readonly recall: number;
}

function f1({ precision, recall }: Score): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

function meanOf(pages: readonly Score[]): Score {
  const mean = (part: keyof Score) => pages.reduce((sum, page) => sum + page[part], 0) / pages.length;
  return { precision: mean('precision'), recall: mean('recall') };
}

function compare(truth: Map<string, number>, found: Map<string, number>): Score {
  let common = 0;
  for (const [shingle, count] of found) common += Math.min(count, truth.get(shingle) ?? 0);
  const share = (all: Map<string, number>) => {
    const sum = [...all.values()].reduce((a, b) => a + b, 0);
    return sum === 0 ? 0 : common / sum;
  };
  return { precision: share(found), recall: share(truth) };
}

function shingles(text: string): Map<string, number> {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const counts = new Map<string, number>();
  for (let i = 0; i < Math.max(1, words.length - 3); i++) {
    const shingle = words.slice(i, i + 4).join(' ');
    if (shingle !== '') counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  }
  return counts;
}
