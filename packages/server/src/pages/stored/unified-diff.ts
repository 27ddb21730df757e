import { commonRuns } from './common-runs.ts';
import { atOnce, type Steps } from './in-slices.ts';

/** Lines shown around a difference. */
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
  /** Lines of each text above it. */
  readonly above: { readonly removed: number; readonly added: number };
}

/** The differences of two texts in the format of `diff -u`; empty when there are none. */
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

/** Groups of differences with their context; those that touch are one hunk. */
function* hunksOf(edits: readonly LineEdit[]): Steps<Hunk[]> {
  const hunks: Hunk[] = [];
  let [removed, added] = [0, 0];
  for (const [index, { kind }] of edits.entries()) {
    if (kind !== 'same') {
      const last = hunks.at(-1);
      const from = Math.max(index - context, 0);
      const to = Math.min(index + context + 1, edits.length);
      if (last && from <= last.to) last.to = to;
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
    // An empty range is named by the line before it.
    return `${count === 0 ? above[side] : above[side] + 1}${count === 1 ? '' : `,${count}`}`;
  };
  const lines = hunk.map(({ kind, text }) => `${marks[kind]}${text}\n`);
  return `@@ -${range('removed')} +${range('added')} @@\n${lines.join('')}`;
}

interface LineEdit {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** How one text becomes the other, by the shortest way unless that would take long. */
export function diffLines(before: string, after: string): LineEdit[] {
  return atOnce(diffingLines(before, after));
}

function* diffingLines(before: string, after: string): Steps<LineEdit[]> {
  const a = linesOf(before);
  yield;
  const b = linesOf(after);
  yield;
  const numbers = new Map<string, number>();
  const runs = yield* commonRuns(yield* numbered(a, numbers), yield* numbered(b, numbers));
  const edits: LineEdit[] = [];
  let [x, y] = [0, 0];
  for (const run of [...runs, { a: a.length, b: b.length, length: 0 }]) {
    while (x < run.a) edits.push({ kind: 'removed', text: a[x++] as string });
    while (y < run.b) edits.push({ kind: 'added', text: b[y++] as string });
    yield;
    for (const end = run.a + run.length; x < end; x++, y++) {
      edits.push({ kind: 'same', text: a[x] as string });
      if (x % stride === 0) yield;
    }
  }
  return edits;
}

/** Gives equal lines equal numbers, so that comparing lines is comparing numbers. */
function* numbered(lines: readonly string[], numbers: Map<string, number>): Steps<Int32Array> {
  const result = new Int32Array(lines.length);
  for (const [index, line] of lines.entries()) {
    const known = numbers.get(line);
    result[index] = known ?? numbers.size;
    if (known === undefined) numbers.set(line, numbers.size);
    if (index % stride === 0) yield;
  }
  return result;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
