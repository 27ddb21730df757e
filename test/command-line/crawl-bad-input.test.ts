import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CrawlCommandFixture } from './crawl-command-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';

const fixture = new CrawlCommandFixture();

describe('holdfast crawl', () => {
  test.each<[string, string[], RegExp]>([
    [
      'a user agent that is no header',
      ['https://a.example', '--user-agent', 'ü'],
      /--user-agent must contain only visible ASCII/,
    ],
    ['a URL that is none', ['nonsense'], /The URL cannot be fetched: nonsense/],
    ['a URL without its scheme', ['example.com/docs'], /Add the scheme: https:\/\/example\.com\/docs/],
    ['another scheme', ['ftp://example.com/'], /The URL cannot be fetched/],
    [
      'a pattern that is none',
      ['https://a.example', '--include', '/(/'],
      /the pattern \/\(\/ cannot be used/,
    ],
    [
      'a pattern that keeps the start out',
      ['https://a.example/x', '--exclude', '/x'],
      /--exclude matches the start URL/,
    ],
    ['an origin that is none', ['https://a.example', '--allow-private', 'localhost'], /is not an origin/],
    ['a depth out of range', ['https://a.example', '--depth', '-1'], /--depth must be at least 0\n/],
    [
      'the name of a field',
      ['https://a.example', '--max-pages', '120'],
      /'--max-pages'\n\(Did you mean --limit\?\)/,
    ],
    ['that name misspelt', ['https://a.example', '--maxdepth=2'], /\(Did you mean --depth\?\)/],
    ['a limit of nothing', ['https://a.example', '--limit', '0'], /--limit must be at least 1\n/],
    ['a limit that is no number', ['https://a.example', '--limit', 'x'], /whole number/],
    [
      'a format nobody knows',
      ['https://a.example', '--format', 'xlsx'],
      /Allowed choices are jsonl, csv, md/,
    ],
    ['markdown files to a pipe', ['https://a.example', '--format', 'md', '--out', '-'], /standard output/],
    [
      'a folder that cannot be made',
      ['https://a.example', '--out', 'notes.jsonl/deep/pages.jsonl'],
      /a part of its path is a file, not a folder/,
    ],
    ['a folder as a file', ['https://a.example', '--out', '.', '--format', 'csv'], /it is a folder/],
    ['the file of somebody else', ['https://a.example', '--out', 'notes.jsonl'], /not written by Holdfast/],
  ])('%s is bad input', async (_, args, message) => {
    writeFileSync(join(fixture.folder, 'notes.jsonl'), 'my notes\n');
    const outcome = await fixture.run(['crawl', ...args]);
    expect(outcome.exit).toBe(2);
    expect(outcome.stderr).toMatch(/^holdfast: /);
    expect(outcome.stderr).toMatch(message);
    expect(readFileSync(join(fixture.folder, 'notes.jsonl'), 'utf8')).toBe('my notes\n');
    const { rows } = await fixture.database.pool.query(
      "SELECT FROM crawl_jobs WHERE payload ->> 'url' LIKE '%a.example%'",
    );
    expect(rows).toEqual([]);
  });

  test('says that there is no database', async () => {
    const env = { DATABASE_URL: 'postgresql://me@127.0.0.1:1/db' };
    expect(await runHoldfast(['crawl', 'https://a.example/'], env, fixture.folder)).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('The database does not answer'),
    });
  });
});
