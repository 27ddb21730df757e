import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { compareDecimals, decimal } from '../../packages/server/src/shop/prices/decimal.ts';
import { extractProduct } from '../../packages/server/src/shop/products/extract-product.ts';
import { bootstrap } from './bootstrap.ts';
import type { ConformanceSet } from './conformance-set.ts';

/** Every field may have several right values. */
interface Truth {
  readonly url: string;
  readonly price?: readonly string[];
  readonly availability?: readonly string[];
  readonly sku?: readonly string[];
  readonly gtin?: readonly string[];
}

type Field = 'price' | 'availability' | 'sku' | 'gtin';
const fields: readonly Field[] = ['price', 'availability', 'sku', 'gtin'];

/** No page may take longer, in the processor's time: others use the machine as well. */
const longestMilliseconds = 100;

/**
 * Product pages against what people marked, by the measure of the benchmark's own evaluate.py: a wrong value counts
 * against precision and recall, a missing one against recall alone. As there, what is not said to be sold out is in stock.
 */
export const products: ConformanceSet = {
  name: 'products',
  async run(folder) {
    const truths: Record<string, Truth> = JSON.parse(
      await readFile(join(folder, 'products/ground-truth.json'), 'utf8'),
    );
    const outcomes = Object.fromEntries(fields.map((field) => [field, [] as Outcome[]]));
    const misses: string[] = [];
    const pages = Object.entries(truths).map(([key, truth]) => ({
      truth,
      file: join(folder, 'products/html', `${key}.html.gz`),
    }));
    const load = async (file: string) => gunzipSync(await readFile(file)).toString('utf8');
    // A program that has just started compiles its code while it reads: that is not what a page takes.
    for (const { file, truth } of pages.slice(0, 10)) extractProduct(await load(file), truth.url);
    for (const [i, { file, truth }] of pages.entries()) {
      const html = await load(file);
      const before = process.cpuUsage();
      const found = read(html, truth.url);
      const { user, system } = process.cpuUsage(before);
      const took = (user + system) / 1_000;
      if (took > longestMilliseconds) misses.push(`${i} ${truth.url}: took ${Math.round(took)} ms`);
      for (const field of fields) {
        const right = truth[field] ?? [];
        const value = found[field];
        const hit = value !== null && right.some((one) => equal(field, one, value));
        const wrong = !hit && value !== null;
        const missed = !hit && right.length > 0;
        outcomes[field]?.push({ right: hit, wrong, missed });
        if (wrong || missed)
          misses.push(`${i} ${truth.url}: ${field} ${value} should be ${right.join(' or ') || 'none'}`);
      }
    }
    const ofEach = <T>(measure: (list: readonly Outcome[]) => T) =>
      Object.fromEntries(Object.entries(outcomes).map(([field, list]) => [field, measure(list)]));
    const f1 = ofEach((list) => Number(f1Of(list).toFixed(4)));
    const interval = ofEach((list) => bootstrap(list, f1Of));
    return { total: pages.length, f1, interval, misses };
  },
};

/** What one page says of one field. */
interface Outcome {
  readonly right: boolean;
  readonly wrong: boolean;
  readonly missed: boolean;
}

function f1Of(outcomes: readonly Outcome[]): number {
  const count = (part: keyof Outcome) => outcomes.filter((outcome) => outcome[part]).length;
  const right = 2 * count('right');
  return right / Math.max(1, right + count('wrong') + count('missed'));
}

function read(html: string, url: string): Record<Field, string | null> {
  const { price, inStock, sku, gtin } = extractProduct(html, url);
  return { price, availability: inStock === false ? 'OutOfStock' : 'InStock', sku, gtin };
}

function equal(field: Field, a: string, b: string): boolean {
  return field === 'price' ? compareDecimals(decimal(a), decimal(b)) === 0 : a === b;
}
