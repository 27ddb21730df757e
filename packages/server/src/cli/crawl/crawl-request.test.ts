import { describe, expect, test } from 'vitest';
import { type CrawlFlags, readCrawlRequest } from './crawl-request.ts';

const request = (url: string, flags: Partial<CrawlFlags> = {}) =>
  readCrawlRequest([url], { discover: true, markdown: true, ...flags });
const key = (...args: Parameters<typeof request>) => request(...args).key;

describe('a crawl', () => {
  test.each<[string, string, Partial<CrawlFlags>]>([
    ['another spelling of its URL', 'HTTPS://Example.com:443/?utm_source=x#top', {}],
    ['another pace', 'https://example.com/', { concurrency: 3, delay: 500, userAgent: 'x', attempts: 1 }],
    ['another output', 'https://example.com/', { out: 'x.csv', format: 'csv' }],
    ['what is the default, said', 'https://example.com/', { depth: 50, strategy: 'auto', scope: 'host' }],
  ])('is the same with %s', (_, url, flags) => {
    expect(key(url, flags)).toBe(key('https://example.com/'));
  });

  test('is the same with its patterns in another order', () => {
    const exclude = ['/a/**', '*.pdf'];
    expect(key('https://example.com/', { exclude })).toBe(
      key('https://example.com/', { exclude: exclude.toReversed() }),
    );
  });

  test.each<Partial<CrawlFlags>>([
    { depth: 3 },
    { limit: 10 },
    { include: ['/a/**'] },
    { exclude: ['/a/**'] },
    { scope: 'any' },
    { pathPrefix: '/a' },
    { discover: false },
    { ignoreRobots: true },
    { markdown: false },
    { storeHtml: true },
    { keepSessions: true },
    { traps: false },
  ])('is another one with %j', (flags) => {
    expect(key('https://example.com/', flags)).not.toBe(key('https://example.com/'));
  });

  test.each<[string, Partial<CrawlFlags>, string, string]>([
    ['https://example.com/', {}, 'example.com.jsonl', 'jsonl'],
    ['https://example.com/', { format: 'csv' }, 'example.com.csv', 'csv'],
    ['https://example.com/', { format: 'md' }, 'example.com', 'md'],
    ['https://example.com/', { out: 'a/b.csv' }, 'a/b.csv', 'csv'],
    ['https://example.com/', { out: 'pages/' }, 'pages/', 'md'],
    ['http://127.0.0.1:8080/', {}, '127.0.0.1-8080.jsonl', 'jsonl'],
    ['http://[::1]:8080/', {}, '1-8080.jsonl', 'jsonl'],
  ])('of %s with %j goes to %s', (url, flags, path, format) => {
    expect(request(url, flags).output).toEqual({ path, format });
  });

  test('keeps session ids, and looks for no traps, when told so', () => {
    const { payload } = request('https://example.com/', { keepSessions: true, traps: false });
    expect(payload).toEqual({ url: 'https://example.com/', keep_sessions: true, traps: false });
    expect(request('https://example.com/', { traps: true }).payload).not.toHaveProperty('traps');
  });

  test.each<[Partial<CrawlFlags>, string]>([
    [{ render: 'never', screenshot: true }, '--screenshot must not be set with render: never'],
    [{ screenshot: 'huge' }, '--screenshot'],
    [{ actions: '{"type": "click"}' }, '--actions must be a JSON list such as ['],
    [{ actions: '[{]' }, '--actions must be JSON'],
    [{ actions: '[{"type": "click"}]' }, '--actions: actions[0].selector is missing'],
    [{ waitFor: '99999' }, '--wait-for must be at most 60000'],
  ])('names the mistake in %j', (flags, mistake) => {
    expect(() => request('https://example.com/', flags)).toThrow(
      expect.objectContaining({ detail: expect.stringContaining(mistake) }),
    );
  });

  test('keeps only what was said in its payload', () => {
    expect(request('https://example.com/', { limit: 5, delay: 100 }).payload).toEqual({
      url: 'https://example.com/',
      max_pages: 5,
      delay_ms: 100,
    });
  });
});
