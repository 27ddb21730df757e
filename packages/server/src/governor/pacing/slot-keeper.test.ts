import { describe, expect, test } from 'vitest';
import { SlotQueue } from './slot-keeper.ts';

const window = (first: number, count = 4) => ({ first, left: count, count, intervalMs: 10, graceMs: 10 });

describe('reserved slots', () => {
  test('are spent one by one, none before its time', () => {
    const slots = new SlotQueue();
    slots.add(window(100));
    expect(slots.next(95)).toBe(100);
    expect(slots.take()).toBe(100);
    expect(slots.next(101)).toBe(110);
  });

  test('that were not used in time make no burst later', () => {
    const slots = new SlotQueue();
    slots.add(window(100));
    slots.add(window(140));
    expect(slots.next(125)).toBe(120);
    expect(slots.next(155)).toBe(150);
    expect(slots.next(1_000)).toBeUndefined();
  });

  test('of a request that was never started can be used again, if none after it was', () => {
    const slots = new SlotQueue();
    slots.add(window(100));
    const first = slots.take();
    slots.giveBack(first);
    expect(slots.next(101)).toBe(100);
    slots.take();
    slots.take();
    slots.giveBack(first);
    expect(slots.next(115)).toBe(120);
  });

  test('run low when a quarter is left, or no time to get more', () => {
    const slots = new SlotQueue();
    expect(slots.runsLow(0, 0)).toBe(true);
    slots.add(window(100));
    expect(slots.runsLow(100, 5)).toBe(false);
    expect(slots.runsLow(100, 50)).toBe(true);
    for (let n = 0; n < 3; n++) slots.take();
    expect(slots.runsLow(100, 5)).toBe(true);
  });
});
