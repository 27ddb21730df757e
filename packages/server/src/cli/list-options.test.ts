import { expect, test } from 'vitest';
import { wholePage } from './list-options.ts';

/** A list of the numbers below 100 that 7 divides, newest first, which looks at ten of them for each answer. */
async function sevens({ limit, after = '100' }: { limit: number; after?: string }) {
  const below = Array.from({ length: 10 }, (_, index) => Number(after) - 1 - index).filter((n) => n >= 0);
  const found = below.filter((n) => n % 7 === 0);
  const rows = found.slice(0, limit);
  const lookedTo = found.length > limit ? rows.at(-1) : below.at(-1);
  return { rows, next: lookedTo === undefined || lookedTo === 0 ? null : String(lookedTo) };
}

test('a page is filled part by part, and says where the next one begins', async () => {
  const first = await wholePage({ limit: 4 }, sevens);
  expect(first.rows).toEqual([98, 91, 84, 77]);
  const second = await wholePage({ limit: 4, after: first.next ?? '' }, sevens);
  expect(second.rows).toEqual([70, 63, 56, 49]);
});

test('the last page ends where nothing is left, however many parts hold no match', async () => {
  expect(await wholePage({ limit: 50, after: '30' }, sevens)).toEqual({
    rows: [28, 21, 14, 7, 0],
    next: null,
  });
  const none = async ({ after = '3' }) => ({
    rows: [],
    next: after === '1' ? null : String(Number(after) - 1),
  });
  expect(await wholePage({ limit: 50 }, none)).toEqual({ rows: [], next: null });
});
