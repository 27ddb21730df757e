import { describe, expect, test } from 'vitest';
import { DatabaseClock } from './database-link.ts';

describe("the database's clock", () => {
  test('is known to within the round trip, and what is unknown counts as late', () => {
    const clock = new DatabaseClock();
    clock.observe(1_000, 500_000, 1_010);
    expect(clock.uncertaintyMs).toBe(10);
    expect(clock.latest(500_100)).toBe(1_110);
  });

  test('is not blurred by a slow answer after a quick one', () => {
    const clock = new DatabaseClock();
    clock.observe(1_000, 500_000, 1_002);
    clock.observe(2_000, 501_100, 2_400);
    expect(clock.uncertaintyMs).toBeLessThan(3);
  });

  test('gets less certain with time, as clocks drift', () => {
    const clock = new DatabaseClock();
    clock.observe(1_000, 500_000, 1_002);
    clock.observe(101_000, 600_050, 101_400);
    expect(clock.uncertaintyMs).toBeGreaterThan(20);
  });

  test('is learned anew after it was set', () => {
    const clock = new DatabaseClock();
    clock.observe(1_000, 500_000, 1_002);
    clock.observe(2_000, 9_000_000, 2_004);
    expect(clock.uncertaintyMs).toBe(4);
    expect(clock.latest(9_000_000)).toBe(2_004);
  });
});
