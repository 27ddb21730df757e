import { expect, test } from 'vitest';
import { RecentMap } from '../../base/collections/recent-map.ts';

test('keeps what is asked for, and forgets the rest', () => {
  const map = new RecentMap<number>(10);
  map.set('kept', 0);
  for (let index = 1; index <= 100; index++) {
    map.set(`other ${index}`, index);
    expect(map.get('kept')).toBe(0);
    expect(map.size).toBeLessThanOrEqual(10);
  }
  expect(map.get('other 100')).toBe(100);
  expect(map.get('other 1')).toBeUndefined();
});

test('the last half that was used is always there', () => {
  const map = new RecentMap<number>(10);
  for (let index = 0; index < 57; index++) map.set(String(index), index);
  for (let index = 53; index < 57; index++) expect(map.get(String(index))).toBe(index);
  map.delete('56');
  expect(map.get('56')).toBeUndefined();
});
