import { expect, test } from 'vitest';
import { LruMap } from './lru-map.ts';

test('keeps what is asked for, and forgets the rest', () => {
  const map = new LruMap<number>(10);
  map.set('kept', 0);
  for (let index = 1; index <= 100; index++) {
    map.set(`other ${index}`, index);
    expect(map.get('kept')).toBe(0);
    expect(map.size).toBeLessThanOrEqual(10);
  }
  expect(map.get('other 100')).toBe(100);
  expect(map.get('other 1')).toBeUndefined();
});

test('the entries that were used last are always there', () => {
  const map = new LruMap<number>(10);
  for (let index = 0; index < 57; index++) map.set(String(index), index);
  for (let index = 53; index < 57; index++) expect(map.get(String(index))).toBe(index);
  map.delete('56');
  expect(map.get('56')).toBeUndefined();
});

test('drops what was used longest ago, and peeking is no use', () => {
  const map = new LruMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.peek('a');
  expect(map.getOrAdd('c', () => 3)).toBe(3);
  expect([map.peek('a'), map.peek('b'), map.size]).toEqual([undefined, 2, 2]);
  map.get('b');
  map.set('d', 4);
  expect([map.peek('b'), map.peek('c'), map.peek('d')]).toEqual([2, undefined, 4]);
  map.delete('d');
  map.set('e', 5);
  expect([map.peek('b'), map.peek('e'), map.size]).toEqual([2, 5, 2]);
});
