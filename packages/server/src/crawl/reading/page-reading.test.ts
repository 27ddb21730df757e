import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleProgram } from '../../../../../test/bundle-program.ts';
import { PageReading, type PageReadingOptions } from './page-reading.ts';
import { readBody } from './read-body.ts';

const options = {
  markdown: true,
  store_html: true,
  sort_query: false,
  keep_tracking: false,
  keep_sessions: false,
};
const log = pino({ level: 'silent' });
const pageOf = (number: number, words = 50) =>
  Buffer.from(`<html lang="en"><head><title>Page ${number}</title></head><body><main><h1>Page ${number}</h1>
    <p>${`Sentence of page ${number}. `.repeat(words)}</p><a href="/${number + 1}">next</a></main></body></html>`);

let program = '';
let reading: PageReading | undefined;

beforeAll(async () => {
  program = await bundleProgram('packages/server/src/crawl/reading/testing/moody-reader-program.ts');
});
afterEach(() => reading?.close());

function open(given: Partial<PageReadingOptions> = {}): PageReading {
  reading = new PageReading({ options, log, program, documentProgram: program, ...given });
  return reading;
}

/** Too large to be read on this side, whatever the thread is doing. */
const large = (number: number) => pageOf(number, 20_000);

const outcome = (read: Promise<unknown>) =>
  read.then(
    () => 'read',
    (error: HoldfastError) => error,
  );

describe('pages', () => {
  test('are read as they would be on this side, wherever they are read', async () => {
    const reading = open();
    const bodies = Array.from({ length: 60 }, (_, n) => (n % 7 === 0 ? large(n) : pageOf(n)));
    const reads = bodies.map((body, n) => reading.read(`https://example.com/${n}`, 'text/html', body));
    for (const [n, read] of (await Promise.all(reads)).entries()) {
      expect(read).toEqual(readBody(`https://example.com/${n}`, 'text/html', bodies[n] as Buffer, options));
    }
  });

  test('go to the thread only when they are large, where no more than links and metadata are wanted', async () => {
    const light = { ...options, markdown: false, store_html: false };
    const reading = open({ options: light });
    // Read by the thread, it would fail.
    const small = await reading.read('https://example.com/throw', 'text/html', pageOf(1));
    expect(small).toEqual(readBody('https://example.com/throw', 'text/html', pageOf(1), light));
    const reads = ['throw', 'fine'].map((word) =>
      reading.read(`https://example.com/${word}`, 'text/html', large(1)),
    );
    const [thrown, fine] = await Promise.all(reads.map(outcome));
    expect(thrown).toMatchObject({ code: 'page_unreadable' });
    expect(fine).toBe('read');
  });

  test('are read without a thread while they are few', async () => {
    const reading = open();
    // Read by the thread, it would fail.
    const read = () => outcome(reading.read('https://example.com/throw', 'text/html', pageOf(1)));
    for (let n = 0; n < 20; n++) expect(await read()).toBe('read');
    await vi.waitUntil(async () => (await read()) !== 'read', { timeout: 10_000 });
  });

  test('that cannot be read fail alone', async () => {
    const reading = open();
    const reads = ['throw', 'fine'].map((word) =>
      reading.read(`https://example.com/${word}`, 'text/html', large(1)),
    );
    const [thrown, fine] = await Promise.all(reads.map(outcome));
    expect(thrown).toMatchObject({
      code: 'page_unreadable',
      message: expect.stringContaining('as asked for'),
    });
    expect(fine).toBe('read');
  });
});

describe('a reading thread', () => {
  test.each([
    ['hangs at a page', 'hang', /more than 2 s/],
    ['dies of a page', 'die', /ended/],
    ['runs out of memory', 'hoard', /memory/],
  ])('that %s costs that page and no other', async (_, word, reason) => {
    const reading = open({ deadlineMs: word === 'hang' ? 2_000 : 25_000, memoryMb: 64 });
    const names = ['a', 'b', word, 'c', 'd'];
    const reads = names.map((name) => reading.read(`https://example.com/${name}`, 'text/html', large(1)));
    const outcomes = await Promise.all(reads.map(outcome));
    expect(outcomes.filter((one) => one === 'read')).toHaveLength(4);
    expect(outcomes[2]).toBeInstanceOf(HoldfastError);
    expect(outcomes[2]).toMatchObject({ code: 'page_unreadable', message: expect.stringMatching(reason) });
    expect(await outcome(reading.read('https://example.com/later', 'text/html', large(2)))).toBe('read');
  });

  test('that cannot start is done without', async () => {
    const broken = join(dirname(program), 'broken.js');
    writeFileSync(broken, 'throw new Error("broken")');
    const reading = open({ program: broken });
    const reads = [pageOf(1), large(2), large(3)].map((body) =>
      reading.read('https://example.com/', 'text/html', body),
    );
    expect(await Promise.all(reads.map(outcome))).toEqual(['read', 'read', 'read']);
    expect(await outcome(reading.read('https://example.com/', 'text/html', large(4)))).toBe('read');
  });
});
