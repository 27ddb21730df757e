import { describe, expect, test } from 'vitest';
import { readHead, retryAfterSeconds } from './http-headers.ts';

const head = (status: number, headers: Record<string, string | string[]>) =>
  readHead('http://example.com/a/b', status, headers);

describe('the head of an answer', () => {
  test('names what revalidation and retries need', () => {
    const headers = {
      'content-type': 'text/html',
      'content-length': '12',
      etag: 'W/"x"',
      'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
      'retry-after': '7',
    };
    expect(head(200, headers)).toEqual({
      url: 'http://example.com/a/b',
      status: 200,
      headers,
      contentType: 'text/html',
      contentLength: 12,
      etag: 'W/"x"',
      lastModified: 'Tue, 01 Jan 2030 00:00:00 GMT',
      retryAfterSeconds: 7,
      location: undefined,
    });
  });

  test.each([
    ['/c', 'http://example.com/c'],
    ['c?d', 'http://example.com/a/c?d'],
    ['//other.example/x', 'http://other.example/x'],
    ['https://other.example/', 'https://other.example/'],
    // Bytes of UTF-8, as the parser hands them over.
    [Buffer.from('/ü').toString('latin1'), 'http://example.com/%C3%BC'],
    ['/\xfc', 'http://example.com/%C3%BC'],
    ['http://', undefined],
    ['', undefined],
  ])('resolves the location %j to %j', (location, target) =>
    expect(head(302, { location }).location).toBe(target),
  );

  test('has a location only where it redirects', () => {
    expect(head(201, { location: '/c' }).location).toBeUndefined();
    expect(head(304, { location: '/c' }).location).toBeUndefined();
  });

  test('joins repeated headers and forgets cookies', () => {
    expect(head(200, { link: ['<a>', '<b>'], 'set-cookie': ['secret=1'] }).headers).toEqual({
      link: '<a>, <b>',
    });
  });

  test('keeps the lines of X-Robots-Tag apart: a name speaks for one of them', () => {
    expect(head(200, { 'x-robots-tag': ['otherbot: noindex', 'nofollow'] }).robotsTag).toBe(
      'otherbot: noindex\nnofollow',
    );
    expect(head(200, { 'x-robots-tag': 'none' }).robotsTag).toBe('none');
    expect(head(200, {}).robotsTag).toBeUndefined();
  });

  test('is bounded, and takes no validator that is none', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x-${at}`, 'y']));
    expect(Object.keys(head(200, many).headers)).toHaveLength(200);
    expect(head(200, { etag: 'x'.repeat(2000), 'content-length': 'lots' })).toMatchObject({
      etag: undefined,
      contentLength: undefined,
    });
  });
});

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
