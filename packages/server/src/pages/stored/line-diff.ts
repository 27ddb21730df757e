import { commonRuns } from './common-runs.ts';
import { atOnce, type Steps } from './in-slices.ts';

/** A line that is the same in both texts, removed from the first, or added in the second. */
export interface LineEdit {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Lines between two yields. */
const stride = 8_192;

/** How one text becomes the other: by the shortest way, unless that would take long. */
export function diffLines(before: string, after: string): LineEdit[] {
  return atOnce(diffingLines(before, after));
}

export function* diffingLines(before: string, after: string): Steps<LineEdit[]> {
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

/** Equal lines have equal numbers, so that comparing them again and again costs nothing. */
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
