import { describe, expect, test } from 'vitest';
import { readHead } from './http-headers.ts';
import { refusedLater, statusFailure } from './status-error.ts';

const errorOf = (status: number, headers = {}) =>
  refusedLater(readHead('http://example.com/', status, headers));

describe('the status of an answer', () => {
  test('is an error for later when the site is busy or broken', () => {
    expect(errorOf(429, { 'retry-after': '7' })).toMatchObject({
      code: 'rate_limited',
      detail: 'HTTP 429',
      retryAfterSeconds: 7,
    });
    for (const status of [500, 502, 503, 599]) {
      expect(errorOf(status)).toMatchObject({ code: 'site_error', retry: 'later', detail: `HTTP ${status}` });
    }
  });

  test('is an answer otherwise', () => {
    for (const status of [200, 304, 301, 404, 410, 403]) expect(errorOf(status)).toBeUndefined();
  });

  test.each([
    [204, 'There was nothing to fetch: the site answered HTTP 204 (No Content)'],
    [206, 'There was nothing to fetch: the site answered HTTP 206 (Partial Content)'],
    [299, 'There was nothing to fetch: the site answered HTTP 299'],
    [304, 'There was nothing to fetch: the site answered HTTP 304 (Not Modified)'],
    [404, 'The site refused the page (4xx): HTTP 404'],
  ])('%i is called what it is', (status, message) => {
    expect(statusFailure(status).message).toBe(message);
  });
});
