import { describe, expect, test, vi } from 'vitest';
import { Batcher } from './batcher.ts';

/** A writer whose batches are answered one by one, when the test says so. */
function heldWriter() {
  const batches: { items: number[]; commit: () => void; fail: (error: Error) => void }[] = [];
  const write = (items: number[]) =>
    new Promise<(item: number) => number>((resolve, reject) => {
      batches.push({ items, commit: () => resolve((item) => item * 10), fail: reject });
    });
  return { batches, write };
}

const next = async <T>(list: T[], index: number): Promise<T> => {
  await vi.waitUntil(() => list.length > index, { interval: 1 });
  return list[index] as T;
};

describe('a batcher', () => {
  test('writes what came within 50 ms as one batch and answers each caller after the commit', async () => {
    const { batches, write } = heldWriter();
    const batcher = new Batcher(write);
    const answers = Promise.all([batcher.add(1), batcher.add(2), batcher.add(3)]);
    const batch = await next(batches, 0);
    expect(batch.items).toEqual([1, 2, 3]);
    batch.commit();
    expect(await answers).toEqual([10, 20, 30]);
  });

  test('writes at most 500 at once, and a full batch beside another, but no third', async () => {
    const { batches, write } = heldWriter();
    const batcher = new Batcher(write);
    const answers = Promise.all(Array.from({ length: 1700 }, (_, item) => batcher.add(item)));
    expect(batches.map(({ items }) => items.length)).toEqual([500, 500]);
    (await next(batches, 0)).commit();
    await next(batches, 2);
    expect(batches.map(({ items }) => items.length)).toEqual([500, 500, 500]);
    for (const { commit } of batches) commit();
    (await next(batches, 3)).commit();
    expect(batches.map(({ items }) => items.length)).toEqual([500, 500, 500, 200]);
    expect(await answers).toHaveLength(1700);
  });

  test('lets a batch that is not full wait for the one before it', async () => {
    const { batches, write } = heldWriter();
    const batcher = new Batcher(write, 0);
    const first = batcher.add(1);
    const held = await next(batches, 0);
    const second = batcher.add(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toHaveLength(1);
    held.commit();
    (await next(batches, 1)).commit();
    expect(await Promise.all([first, second])).toEqual([10, 20]);
  });

  test('fails the callers of a batch that failed, and no others', async () => {
    const { batches, write } = heldWriter();
    const batcher = new Batcher(write);
    const first = batcher.add(1);
    const failed = await next(batches, 0);
    const second = batcher.add(2);
    failed.fail(new Error('the database is away'));
    await expect(first).rejects.toThrow('the database is away');
    (await next(batches, 1)).commit();
    expect(await second).toBe(20);
  });

  test('drains without waiting for a batch to fill', async () => {
    const { batches, write } = heldWriter();
    const batcher = new Batcher(write);
    const answer = batcher.add(1);
    const drained = batcher.drain();
    expect(batches).toHaveLength(1);
    batches[0]?.commit();
    await drained;
    expect(await answer).toBe(10);
  });
});

test('a batcher that lets nothing fill writes what one turn of the event loop brought', async () => {
  const { batches, write } = heldWriter();
  const batcher = new Batcher(write, 0);
  const first = Promise.all([batcher.add(1), batcher.add(2)]);
  (await next(batches, 0)).commit();
  expect(await first).toEqual([10, 20]);
  const second = batcher.add(3);
  const held = await next(batches, 1);
  const third = Promise.all([batcher.add(4), batcher.add(5)]);
  held.commit();
  (await next(batches, 2)).commit();
  expect(await Promise.all([second, third])).toEqual([30, [40, 50]]);
  expect(batches.map(({ items }) => items)).toEqual([[1, 2], [3], [4, 5]]);
});
