import { describe, expect, test } from 'vitest';
import { retryAfterSeconds } from './retry-after-seconds.ts';

const now = Date.parse('Tue, 01 Jan 2030 00:00:00 GMT');

describe('Retry-After', () => {
  test.each([
    ['120', 120],
    [' 0 ', 0],
    ['Tue, 01 Jan 2030 00:02:00 GMT', 120],
    ['Tuesday, 01-Jan-30 00:02:00 GMT', 120],
    ['Tue, 01 Jan 2019 00:00:00 GMT', 0],
    ['99999999999', 86_400],
    ['Wed, 01 Jan 2031 00:00:00 GMT', 86_400],
    ['soon', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    ['', undefined],
  ])('%j means %j', (value, seconds) => expect(retryAfterSeconds(value, undefined, now)).toBe(seconds));

  test('is measured by the clock of the site that sent it', () => {
    const [then, sent] = ['Tue, 01 Jan 2030 05:00:30 GMT', 'Tue, 01 Jan 2030 05:00:00 GMT'];
    expect(retryAfterSeconds(then, sent, now)).toBe(30);
  });
});
