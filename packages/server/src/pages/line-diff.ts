/** A line that is the same in both texts, removed from the first, or added in the second. */
export interface LineEdit {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond it, all between the common start and end counts as replaced: the memory needed grows with its square. */
const maxEdits = 1_000;

/** The shortest way from one text to the other (Myers, "An O(ND) Difference Algorithm", 1986), with an end to its cost. */
export function diffLines(before: string, after: string, limit = maxEdits): LineEdit[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const removed = a.slice(start, a.length - end);
  const added = b.slice(start, b.length - end);
  return [
    ...edits('same', a.slice(0, start)),
    ...(shortestScript(removed, added, limit) ?? [...edits('removed', removed), ...edits('added', added)]),
    ...edits('same', a.slice(a.length - end)),
  ];
}

/**
 * furthest[k] is how far a path with so many edits comes in `a` on the diagonal k = x − y. The arrays of all steps are kept
 * to walk back along the way that arrived.
 */
function shortestScript(a: readonly string[], b: readonly string[], limit: number): LineEdit[] | undefined {
  const steps: Int32Array[] = [];
  let furthest = new Int32Array(3);
  for (let count = 0; count <= Math.min(limit, a.length + b.length); count++) {
    const next = new Int32Array(2 * count + 3);
    for (let k = -count; k <= count; k += 2) {
      let x = isDown(furthest, count, k)
        ? at(furthest, count - 1, k + 1)
        : at(furthest, count - 1, k - 1) + 1;
      if (count === 0) x = 0;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next[k + count + 1] = x;
      if (x < a.length || x - k < b.length) continue;
      steps.push(next);
      return walkBack(a, b, steps);
    }
    steps.push(next);
    furthest = next;
  }
  return undefined;
}

function walkBack(a: readonly string[], b: readonly string[], steps: readonly Int32Array[]): LineEdit[] {
  const script: LineEdit[] = [];
  let x = a.length;
  let y = b.length;
  for (let count = steps.length - 1; count >= 0; count--) {
    const k = x - y;
    const before = steps[count - 1] ?? new Int32Array(3);
    const wasDown = isDown(before, count, k);
    const fromK = wasDown ? k + 1 : k - 1;
    const fromX = count === 0 ? 0 : at(before, count - 1, fromK);
    const fromY = count === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      script.push({ kind: 'same', text: a[--x] as string });
      y--;
    }
    if (count === 0) break;
    if (wasDown) script.push({ kind: 'added', text: b[--y] as string });
    else script.push({ kind: 'removed', text: a[--x] as string });
  }
  return script.reverse();
}

/** Whether the best way onto diagonal k adds a line of b, instead of removing one of a. */
function isDown(furthest: Int32Array, count: number, k: number): boolean {
  if (k === -count) return true;
  return k !== count && at(furthest, count - 1, k - 1) < at(furthest, count - 1, k + 1);
}

function at(furthest: Int32Array, count: number, k: number): number {
  return furthest[k + count + 1] ?? 0;
}

function edits(kind: LineEdit['kind'], lines: readonly string[]): LineEdit[] {
  return lines.map((text) => ({ kind, text }));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
