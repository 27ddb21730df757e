import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readWarc } from '../../../../../test/exports/read-warc.ts';
import { hasPython } from '../../../../../test/has-python.ts';
import type { StoredPage } from '../stored/page.ts';
import { samplePage } from './testing/sample-page.ts';
import { warcDigest, warcFormat } from './warc-format.ts';

const job = '01a1e1d5-de60-7d19-800b-34c5346a372f';
const kept = {
  received_at: '2026-01-01T00:00:00.000Z',
  address: '192.0.2.7',
  head: 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-name: J\u00fcrgen\r\ncontent-length: 6',
  body: Buffer.from([0, 255, 13, 10, 13, 10]),
};

async function written(pages: readonly StoredPage[], gzip = true): Promise<Buffer> {
  const format = warcFormat({ gzip });
  const records = await Promise.all(pages.map((page) => format.record(page, job)));
  return Buffer.concat([format.header(job) as Buffer, ...records.map((record) => record as Buffer)]);
}

describe.runIf(hasPython)('WARC, read by a reader of its own', () => {
  test('a kept answer is a response, byte for byte, that markdown and metadata refer to', async () => {
    const page = samplePage({ kept, html: '<p>', links: ['https://example.com/x'] });
    const [info, response, conversion, metadata, ...others] = readWarc(await written([page]));
    expect(others).toEqual([]);
    expect(info?.payload.toString()).toContain(`isPartOf: crawl ${job}`);
    expect(response?.fields).toMatchObject({
      'warc-type': 'response',
      'warc-date': kept.received_at,
      'warc-ip-address': '192.0.2.7',
      'warc-target-uri': page.url,
    });
    expect(response?.http).toMatchObject({ status: 200, headers: { 'x-name': 'J\u00fcrgen' } });
    expect(response?.payload).toEqual(kept.body);
    const id = response?.fields['warc-record-id'];
    expect(conversion?.fields).toMatchObject({ 'warc-type': 'conversion', 'warc-refers-to': id });
    expect(conversion?.payload.toString()).toBe('Some words');
    expect(metadata?.fields).toMatchObject({ 'warc-type': 'metadata', 'warc-refers-to': id });
    expect(JSON.parse(String(metadata?.payload))).toMatchObject({
      page_no: 1,
      title: 'Title',
      links: page.links,
    });
  });

  test('without an answer what was made of it is called that', async () => {
    const pages = [
      samplePage({ html: '<p>ä' }),
      samplePage({ page_no: 2, url: 'https://example.com/2', markdown: null }),
    ];
    const records = readWarc(await written(pages, false)).map(({ fields, payload }) => [
      fields['warc-type'],
      fields['content-type'],
      fields['warc-type'] === 'conversion' ? payload.toString() : '',
    ]);
    expect(records).toEqual([
      ['warcinfo', 'application/warc-fields', ''],
      ['conversion', 'text/html;charset=utf-8', '<p>ä'],
      ['conversion', 'text/markdown;charset=utf-8', 'Some words'],
      ['metadata', 'application/json', ''],
      ['metadata', 'application/json', ''],
    ]);
  });

  test('a large record is compressed beside the event loop, and comes whole and in its place', async () => {
    const markdown = Array.from({ length: 40_000 }, (_, n) => `word ${n}`).join(' ');
    const pages = [samplePage({ markdown }), samplePage({ page_no: 2, url: 'https://example.com/2' })];
    const conversions = readWarc(await written(pages)).filter(
      ({ fields }) => fields['warc-type'] === 'conversion',
    );
    expect(conversions.map(({ payload }) => payload.length)).toEqual([markdown.length, 'Some words'.length]);
  });
});

describe('WARC', () => {
  test('the same page has the same bytes in every export', async () => {
    const format = warcFormat({ gzip: true });
    const page = samplePage({ kept });
    expect(await format.record(page, job)).toEqual(await format.record(page, job));
  });

  test('knows files of its own, compressed or not, also by their first bytes alone', async () => {
    const format = warcFormat({ gzip: true });
    for (const gzip of [true, false])
      expect(format.isOurs((await written([samplePage()], gzip)).subarray(0, 1024))).toBe(true);
    expect(format.isOurs(Buffer.from('WARC/1.0\r\nWARC-Type: warcinfo\r\n'))).toBe(false);
    expect(format.isOurs(Buffer.from([0x1f, 0x8b, 9, 9, 9]))).toBe(false);
    expect(gunzipSync(format.header(job)).toString()).toMatch(/^WARC\/1\.1\r\n/);
  });

  test('digests are those that archives know', () => {
    // Of nothing, as every CDX of an empty body has it.
    expect(warcDigest(Buffer.alloc(0))).toBe('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
  });
});
