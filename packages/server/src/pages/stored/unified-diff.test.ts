import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonRuns } from './common-runs.ts';
import { atOnce, inSlices } from './in-slices.ts';
import { growthOf, isLinear } from './testing/growth.ts';
import { diffLines, unifiedDiff, unifyingDiff } from './unified-diff.ts';

const names = { before: 'a', after: 'b' };
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

/** What is left of the edits on one side. */
const side = (edits: ReturnType<typeof diffLines>, other: 'added' | 'removed') =>
  edits
    .filter(({ kind }) => kind !== other)
    .map(({ text }) => text)
    .join('\n');

describe('a diff', () => {
  test('shows each difference with three lines around it, and joins those that are near', () => {
    const before = numbers(20);
    const after = before.toSpliced(4, 1, 'five').toSpliced(8, 1).toSpliced(18, 0, 'between');
    expect(unifiedDiff(before.join('\n'), after.join('\n'), names)).toBe(`--- a
+++ b
@@ -2,11 +2,10 @@
 line 2
 line 3
 line 4
-line 5
+five
 line 6
 line 7
 line 8
-line 9
 line 10
 line 11
 line 12
@@ -17,4 +16,5 @@
 line 17
 line 18
 line 19
+between
 line 20
`);
  });

  test('of a text that came or went has it whole', () => {
    expect(unifiedDiff('', 'one\ntwo', names)).toBe('--- a\n+++ b\n@@ -0,0 +1,2 @@\n+one\n+two\n');
    expect(unifiedDiff('one', '', names)).toBe('--- a\n+++ b\n@@ -1 +0,0 @@\n-one\n');
    expect(unifiedDiff('one', 'one', names)).toBe('');
  });

  test('leads from one text to the other, by the shortest way', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const edits = diffLines(a.join('\n'), b.join('\n'));
        expect([side(edits, 'added'), side(edits, 'removed')]).toEqual([a.join('\n'), b.join('\n')]);
        const same = edits.filter(({ kind }) => kind === 'same').length;
        expect(same).toBe(longestCommon(lines(a), lines(b)));
      }),
      { numRuns: 500 },
    );
  });

  test('can be applied', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd');
    const text = fc.array(line, { minLength: 1, maxLength: 60 });
    const edit = fc.tuple(fc.nat(60), fc.nat(2), fc.array(line, { maxLength: 2 }));
    fc.assert(
      fc.property(text, fc.array(edit, { maxLength: 4 }), (before, changes) => {
        let after = before;
        for (const [at, count, added] of changes)
          after = after.toSpliced(at % after.length || 0, count, ...added);
        if (after.length === 0) return;
        const diff = unifiedDiff(before.join('\n'), after.join('\n'), names);
        expect(applied(diff, before)).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  test('of two long texts that have nothing in common ends soon', () => {
    const before = Array.from({ length: 50_000 }, (_, index) => `before ${index}`).join('\n');
    const after = Array.from({ length: 50_000 }, (_, index) => `after ${index}`).join('\n');
    const edits = diffLines(before, `${after}\nshared`);
    expect(side(edits, 'removed')).toBe(`${after}\nshared`);
    expect(side(edits, 'added')).toBe(before);
  });
});

describe('a diff of long texts', () => {
  /** The same on every machine. */
  const scrambled = (count: number, values: number) => {
    let state = 1;
    return Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return `${(state >>> 8) % values}`;
    });
  };
  const pairs: Readonly<Record<string, (lines: number) => [string[], string[]]>> = {
    'in another order': (lines) => [numbers(lines), scrambled(lines, lines).map((n) => `line ${n}`)],
    backwards: (lines) => [numbers(lines), numbers(lines).reverse()],
    'of two lines again and again': (lines) => [scrambled(lines, 2), scrambled(lines + 7, 2).slice(7)],
    'with every other line changed': (lines) => [
      numbers(lines),
      numbers(lines).map((line, index) => (index % 2 ? line : `${line} new`)),
    ],
    'with nothing in common': (lines) => [numbers(lines), numbers(lines).map((line) => `not ${line}`)],
    'of empty lines': (lines) => [
      new Array<string>(lines).fill(''),
      scrambled(lines, 3).map((n) => (n === '0' ? 'x' : '')),
    ],
  };

  test.each(Object.entries(pairs))(
    'takes time by their length: %s',
    (_, textsOf) => {
      const inputOf = (size: number) => textsOf(Math.floor(size / 10)).map((lines) => lines.join('\n'));
      const growth = growthOf(inputOf, ([a = '', b = '']) => unifiedDiff(a, b, names), 4_000_000);
      expect(growth).toSatisfy(isLinear);
    },
    60_000,
  );

  test.each(Object.entries(pairs))(
    'is right all the same: %s',
    (_, textsOf) => {
      const [before, after] = textsOf(20_000);
      expect(applied(unifiedDiff(before.join('\n'), after.join('\n'), names), before)).toEqual(after);
    },
    60_000,
  );

  test('finds what both have once, however much lies between', () => {
    const before = numbers(10_000);
    const after = before.map((line, index) => (index % 4 === 0 ? line : `${line} new`));
    const edits = diffLines(before.join('\n'), after.join('\n'));
    expect(edits.filter(({ kind }) => kind === 'same')).toHaveLength(2_500);
  });

  test('is right and in order with any budget', () => {
    const text = fc.array(fc.nat(12), { maxLength: 40 });
    fc.assert(
      fc.property(text, text, fc.nat(60), (a, b, budget) => {
        const runs = atOnce(commonRuns(Int32Array.from(a), Int32Array.from(b), budget));
        let [x, y] = [0, 0];
        for (const run of runs) {
          expect([run.a >= x, run.b >= y]).toEqual([true, true]);
          expect(a.slice(run.a, run.a + run.length)).toEqual(b.slice(run.b, run.b + run.length));
          [x, y] = [run.a + run.length, run.b + run.length];
        }
        expect([x <= a.length, y <= b.length]).toEqual([true, true]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('lets others have their turns', async () => {
    const [before, after] = (pairs['in another order'] as (lines: number) => [string[], string[]])(200_000);
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await inSlices(unifyingDiff(before.join('\n'), after.join('\n'), names), 1);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(10);
  });
});

/** As `patch` does it. */
function applied(diff: string, before: readonly string[]): string[] {
  const after: string[] = [];
  let at = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [head = '', ...body] = hunk.trimEnd().split('\n');
    const [, start = '', count = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(head) ?? [];
    const from = Number(start) - (count === '0' ? 0 : 1);
    after.push(...before.slice(at, from));
    at = from + Number(count);
    expect(body.filter((line) => line[0] !== '+').map((line) => line.slice(1))).toEqual(
      before.slice(from, at),
    );
    after.push(...body.filter((line) => line[0] !== '-').map((line) => line.slice(1)));
  }
  return [...after, ...before.slice(at)];
}

function lines(texts: string[]): string[] {
  const text = texts.join('\n');
  return text === '' ? [] : text.split('\n');
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let x = 1; x <= a.length; x++)
    for (let y = 1; y <= b.length; y++)
      (table[x] as number[])[y] =
        a[x - 1] === b[y - 1]
          ? (table[x - 1]?.[y - 1] ?? 0) + 1
          : Math.max(table[x - 1]?.[y] ?? 0, table[x]?.[y - 1] ?? 0);
  return table[a.length]?.[b.length] ?? 0;
}
