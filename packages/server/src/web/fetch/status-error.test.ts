import { describe, expect, test } from 'vitest';
import { readHead } from './read-head.ts';
import { statusError } from './status-error.ts';

const errorOf = (status: number, headers = {}) =>
  statusError(readHead('http://example.com/', status, headers));

describe('the status of an answer', () => {
  test('is an error for later when the site is busy or broken', () => {
    expect(errorOf(429, { 'retry-after': '7' })).toMatchObject({
      code: 'rate_limited',
      detail: '429, Retry-After 7 s',
    });
    for (const status of [500, 502, 503, 599]) {
      expect(errorOf(status)).toMatchObject({ code: 'site_error', retry: 'later', detail: String(status) });
    }
  });

  test('is an answer otherwise', () => {
    for (const status of [200, 304, 301, 404, 410, 403]) expect(errorOf(status)).toBeUndefined();
  });
});
