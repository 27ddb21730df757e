import { atOnce, type Steps } from './in-slices.ts';
import { diffingLines, type LineEdit } from './line-diff.ts';

/** Lines that are shown around a difference. */
const context = 3;
const marks = { same: ' ', removed: '-', added: '+' } as const;
/** Lines between two yields. */
const stride = 8_192;

interface Names {
  readonly before: string;
  readonly after: string;
}

interface Hunk {
  readonly from: number;
  to: number;
  /** Lines of either text above it. */
  readonly above: { readonly removed: number; readonly added: number };
}

/** The differences of two texts as `diff -u` writes them; empty when there are none. */
export function unifiedDiff(before: string, after: string, names: Names): string {
  return atOnce(unifyingDiff(before, after, names));
}

export function* unifyingDiff(before: string, after: string, names: Names): Steps<string> {
  const edits = yield* diffingLines(before, after);
  const texts: string[] = [];
  for (const hunk of yield* hunksOf(edits)) {
    texts.push(hunkText(edits, hunk));
    yield;
  }
  return texts.length === 0 ? '' : `--- ${names.before}\n+++ ${names.after}\n${texts.join('')}`;
}

/** Stretches with a difference, those that touch made one. */
function* hunksOf(edits: readonly LineEdit[]): Steps<Hunk[]> {
  const hunks: Hunk[] = [];
  let [removed, added] = [0, 0];
  for (const [index, { kind }] of edits.entries()) {
    if (kind !== 'same') {
      const last = hunks.at(-1);
      const from = Math.max(index - context, 0);
      const to = Math.min(index + context + 1, edits.length);
      if (last && from <= last.to) last.to = to;
      // What stands between its start and here is the same in both.
      else {
        const shown = index - from;
        hunks.push({ from, to, above: { removed: removed - shown, added: added - shown } });
      }
    }
    if (kind !== 'added') removed++;
    if (kind !== 'removed') added++;
    if (index % stride === 0) yield;
  }
  return hunks;
}

function hunkText(edits: readonly LineEdit[], { from, to, above }: Hunk): string {
  const hunk = edits.slice(from, to);
  const range = (side: 'removed' | 'added') => {
    const count = hunk.filter(({ kind }) => kind === 'same' || kind === side).length;
    // Of an empty range, the line before it.
    return `${count === 0 ? above[side] : above[side] + 1}${count === 1 ? '' : `,${count}`}`;
  };
  const lines = hunk.map(({ kind, text }) => `${marks[kind]}${text}\n`);
  return `@@ -${range('removed')} +${range('added')} @@\n${lines.join('')}`;
}
