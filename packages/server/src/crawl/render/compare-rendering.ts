import { inflateRawSync } from 'node:zlib';
import type { Suspicion } from '@holdfast/contract';
import type { ReadBody } from '../reading/read-result.ts';

/** A page with fewer words is a shell, in which one new sentence counts. */
const shellWords = 30;
/** Share of the original words, and a minimum number. */
const newShare = 0.15;
const newWords = 15;

/** Whether rendering added text or links. */
export function isRicher(rendered: ReadBody, came: ReadBody, suspicion: Suspicion): boolean {
  const [before, after] = [wordsOf(came), wordsOf(rendered)];
  if (!before || !after) {
    if (rendered.page.title !== came.page.title) return true;
  } else {
    const news = countNew(after, before);
    const had = total(before);
    if (news > (had < shellWords ? Math.max(2, had / 2) : Math.max(newWords, had * newShare))) return true;
  }
  const known = new Set(came.links);
  const found = rendered.links.filter((link) => !known.has(link)).length;
  return found > (suspicion === 'clicks' ? 0 : Math.max(1, known.size * newShare));
}

/** Whether rendering removed most of the original text. */
export function isPoorer(rendered: ReadBody, came: ReadBody): boolean {
  const had = came.page.word_count ?? 0;
  return had > 2 * shellWords && (rendered.page.word_count ?? 0) < had / 2;
}

type Words = ReadonlyMap<string, number>;

/** Undefined if the text of pages is not kept. */
function wordsOf({ page }: ReadBody): Words | undefined {
  const { markdown } = page.content;
  if (markdown === null || markdown === undefined) return undefined;
  const words = new Map<string, number>();
  // URLs are not text, and some scripts put no spaces between words.
  const text = inflateRawSync(markdown)
    .toString()
    .replaceAll(/\]\([^)\s]*\)/g, ' ');
  for (const [word] of text.matchAll(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}]+/gu))
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

function countNew(after: Words, before: Words): number {
  let news = 0;
  for (const [word, times] of after) news += Math.max(0, times - (before.get(word) ?? 0));
  return news;
}

function total(words: Words): number {
  return [...words.values()].reduce((sum, times) => sum + times, 0);
}
