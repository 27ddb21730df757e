import { diffLines, type LineEdit } from './line-diff.ts';

/** Lines that are shown around a difference. */
const context = 3;
const marks = { same: ' ', removed: '-', added: '+' } as const;

/** The differences of two texts as `diff -u` writes them; empty when there are none. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  const edits = diffLines(before, after);
  const hunks = hunksOf(edits).map(({ from, to }) => hunkText(edits, from, to));
  return hunks.length === 0 ? '' : `--- ${names.before}\n+++ ${names.after}\n${hunks.join('')}`;
}

/** Stretches with a difference, those that touch made one. */
function hunksOf(edits: readonly LineEdit[]): { from: number; to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  for (const [index, { kind }] of edits.entries()) {
    if (kind === 'same') continue;
    const last = hunks.at(-1);
    const to = Math.min(index + context + 1, edits.length);
    if (last && index - context <= last.to) last.to = to;
    else hunks.push({ from: Math.max(index - context, 0), to });
  }
  return hunks;
}

function hunkText(edits: readonly LineEdit[], from: number, to: number): string {
  const hunk = edits.slice(from, to);
  const range = (other: LineEdit['kind']) => {
    const before = edits.slice(0, from).filter(({ kind }) => kind !== other).length;
    const count = hunk.filter(({ kind }) => kind !== other).length;
    // Of an empty range, the line before it.
    return `${count === 0 ? before : before + 1}${count === 1 ? '' : `,${count}`}`;
  };
  const lines = hunk.map(({ kind, text }) => `${marks[kind]}${text}\n`);
  return `@@ -${range('added')} +${range('removed')} @@\n${lines.join('')}`;
}
