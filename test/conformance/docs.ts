import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extractPage } from '../../packages/server/src/web/html/extract-page.ts';
import type { ConformanceSet } from './conformance-set.ts';
import { type MarkdownParts, normalised, readMarkdown } from './read-markdown.ts';

interface DocsPage {
  readonly url: string;
  readonly generator: string;
  readonly text: string;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly code_blocks: number;
  readonly tables: number;
  readonly superscripts: readonly string[];
}

/** Recall and precision are means over pages; the others are shares of all that the pages of a generator have. */
class Scores {
  #pages = 0;
  #recall = 0;
  #precision = 0;
  readonly #kept = { headings: 0, code: 0, tables: 0, superscripts: 0 };
  readonly #total = { headings: 0, code: 0, tables: 0, superscripts: 0 };

  add({ recall, precision }: { recall: number; precision: number }): void {
    this.#pages++;
    this.#recall += recall;
    this.#precision += precision;
  }

  count(kind: keyof typeof this.total, kept: number, total: number): void {
    this.#kept[kind] += Math.min(kept, total);
    this.#total[kind] += total;
  }

  get total() {
    return this.#total;
  }

  report(): Record<string, number> {
    const shares = Object.entries(this.#total)
      .filter(([, total]) => total > 0)
      .map(([kind, total]) => [kind, this.#kept[kind as keyof typeof this.total] / total] as const);
    const all = [
      ['recall', this.#recall / this.#pages],
      ['precision', this.#precision / this.#pages],
      ...shares,
    ];
    return Object.fromEntries(all.map(([name, value]) => [name, Number((value as number).toFixed(4))]));
  }
}

/** Markdown of documentation pages against what the generator's own container holds. */
export const docs: ConformanceSet = {
  name: 'docs',
  async run(folder) {
    const truth: Record<string, DocsPage> = JSON.parse(
      await readFile(join(folder, 'docs/ground-truth.json'), 'utf8'),
    );
    const generators = new Map<string, Scores>();
    const misses: string[] = [];
    for (const [key, page] of Object.entries(truth)) {
      const file = await readFile(join(folder, 'docs/html', `${key}.html.gz`));
      const { content } = extractPage(gunzipSync(file).toString('utf8'), page.url, { markdown: true });
      const scores = generators.get(page.generator) ?? new Scores();
      generators.set(page.generator, scores);
      const miss = compare(page, readMarkdown(content?.markdown ?? ''), scores);
      if (miss !== '') misses.push(`${page.generator} ${key} ${page.url}: ${miss}`);
    }
    const names = [...generators.keys()].sort();
    return {
      total: Object.keys(truth).length,
      generators: Object.fromEntries(names.map((name) => [name, generators.get(name)?.report() ?? {}])),
      misses,
    };
  },
};

function compare(page: DocsPage, found: MarkdownParts, scores: Scores): string {
  const words = overlap(bag(page.text), bag(found.text));
  const headings = inOrder(page.headings.map(({ text }) => normalised(text)).filter(Boolean), found.headings);
  const superscripts = page.superscripts.filter((text) => found.superscripts.includes(text)).length;
  const wanted = page.headings.filter(({ text }) => normalised(text) !== '').length;
  scores.add(words);
  scores.count('headings', headings.length, wanted);
  scores.count('code', found.codeBlocks, page.code_blocks);
  scores.count('tables', found.tables, page.tables);
  scores.count('superscripts', superscripts, page.superscripts.length);
  const said = [
    words.recall < 0.985 ? `recall ${words.recall.toFixed(3)} (${words.missing.slice(0, 12).join(' ')})` : '',
    words.precision < 0.97
      ? `precision ${words.precision.toFixed(3)} (${words.extra.slice(0, 12).join(' ')})`
      : '',
    headings.length < wanted ? `headings ${headings.length} of ${wanted}` : '',
    found.codeBlocks < page.code_blocks ? `code ${found.codeBlocks} of ${page.code_blocks}` : '',
    found.tables < page.tables ? `tables ${found.tables} of ${page.tables}` : '',
    superscripts < page.superscripts.length ? `superscripts ${superscripts}` : '',
  ];
  return said.filter(Boolean).join(', ');
}

function bag(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/[\p{L}\p{N}_]+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function overlap(truth: Map<string, number>, found: Map<string, number>) {
  const missing = less(truth, found);
  const extra = less(found, truth);
  const share = (all: Map<string, number>, without: readonly string[]) => {
    const sum = [...all.values()].reduce((a, b) => a + b, 0);
    return sum === 0 ? 1 : 1 - without.length / sum;
  };
  return { recall: share(truth, missing), precision: share(found, extra), missing, extra };
}

function less(one: Map<string, number>, other: Map<string, number>): string[] {
  return [...one].flatMap(([word, count]) =>
    new Array<string>(Math.max(0, count - (other.get(word) ?? 0))).fill(word),
  );
}

/** The longest run of the expected headings that the found ones have in this order. */
function inOrder(expected: readonly string[], found: readonly string[]): string[] {
  let best: number[] = new Array<number>(found.length + 1).fill(0);
  for (const text of expected) {
    const next = [0];
    for (let at = 0; at < found.length; at++)
      next.push(
        found[at] === text ? (best[at] as number) + 1 : Math.max(best[at + 1] as number, next[at] as number),
      );
    best = next;
  }
  return expected.slice(0, best.at(-1));
}
