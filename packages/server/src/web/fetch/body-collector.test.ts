import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpFetcher } from './http-fetcher.ts';
import { failureOf } from './testing/failure-of.ts';
import { type LocalSite, startSite } from './testing/local-site.ts';

/** Small is inflated at once, large (more than 64 KB on the wire) through a stream. */
const small = Buffer.from('<p>hello</p>'.repeat(1000));
const large = Buffer.concat([Buffer.from(randomBytes(150_000).toString('hex')), small]);
const damaged = (bytes: Buffer) => Buffer.from(bytes).fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 8);

let answer: { encoding: string; body: Buffer };
let site: LocalSite;
let fetcher: HttpFetcher;

beforeAll(async () => {
  site = await startSite((_, response) => {
    response.writeHead(200, { 'content-encoding': answer.encoding });
    // In pieces, as a network brings them.
    for (let at = 0; at < answer.body.length; at += 10_000)
      response.write(answer.body.subarray(at, at + 10_000));
    response.end();
  });
  fetcher = new HttpFetcher({ allowOrigins: [site.origin] });
});
afterAll(async () => {
  await fetcher.close();
  await site.close();
});

const fetch = (encoding: string, body: Buffer, limits = {}) => {
  answer = { encoding, body };
  return fetcher.fetch({ url: site.origin, limits });
};

describe.each([
  ['small', small],
  ['large', large],
])('a %s body', (_, body) => {
  test.each([
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', body],
    ['', body],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
    ['deflate, gzip', gzipSync(deflateSync(body))],
    ['gzip', Buffer.concat([gzipSync(body.subarray(0, 100)), gzipSync(body.subarray(100))])],
  ])('in %s comes out as it went in', async (encoding, encoded) => {
    const response = await fetch(encoding, encoded);
    expect(response.body?.equals(body)).toBe(true);
    expect(response.bytesOnWire).toBe(encoded.length);
  });

  test.each([
    ['gzip', damaged(gzipSync(body))],
    ['deflate', damaged(deflateSync(body))],
    // Brotli has no checksum: what is damaged in the middle may well inflate to something else.
    ['br', Buffer.alloc(body.length, 0xff)],
    ['gzip', body],
  ])('that is no valid %s is refused', async (encoding, encoded) => {
    expect(await failureOf(fetch(encoding, encoded))).toMatchObject({
      code: 'content_encoding_bad',
      retry: 'never',
    });
  });

  test.each([
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
  ])('whose %s ends early may be whole the next time', async (encoding, encoded) => {
    const failure = await failureOf(fetch(encoding, encoded.subarray(0, encoded.length - 20)));
    expect(failure).toMatchObject({
      code: 'connection_failed',
      retry: 'later',
      detail: 'the body ended early',
    });
  });

  test('of just the size that is allowed passes, and one byte more does not', async () => {
    for (const [encoding, encoded] of [
      ['', body],
      ['gzip', gzipSync(body)],
    ] as const) {
      const exact = { maxBytes: Math.max(body.length, encoded.length) };
      expect((await fetch(encoding, encoded, exact)).body).toHaveLength(body.length);
      const less = { maxBytes: body.length - 1 };
      expect(await failureOf(fetch(encoding, encoded, less))).toMatchObject({
        code: 'body_too_large',
        retry: 'never',
      });
    }
  });
});

describe('encodings', () => {
  test.each(['zstd', 'compress', 'gzip, zstd', '__proto__', 'gzip, gzip, gzip, gzip'])(
    'of %s are not undone',
    async (encoding) => expect((await failureOf(fetch(encoding, small))).code).toBe('content_encoding_bad'),
  );

  test('of an empty body do not matter', async () => {
    for (const encoding of ['gzip', 'br', 'deflate']) {
      expect((await fetch(encoding, Buffer.alloc(0))).body).toHaveLength(0);
    }
  });
});

describe('a body that inflates beyond the ratio', () => {
  test.each([
    ['at once', Buffer.alloc(3_000_000)],
    ['through a stream', Buffer.concat([randomBytes(70_000), Buffer.alloc(8_000_000)])],
  ])('is refused before it reaches the size limit (%s)', async (_, body) => {
    expect((await failureOf(fetch('gzip', gzipSync(body), { maxRatio: 20 }))).code).toBe('body_too_large');
  });

  test('is fine below a megabyte', async () => {
    expect((await fetch('gzip', gzipSync(Buffer.alloc(900_000)), { maxRatio: 20 })).body).toHaveLength(
      900_000,
    );
  });
});

describe('a body of which a part is enough', () => {
  const body = Buffer.concat([small, randomBytes(2_000_000)]);
  const enoughBytes = small.length;
  const part = (encoding: string, encoded: Buffer) => {
    answer = { encoding, body: encoded };
    return fetcher.fetch({ url: site.origin, enoughBytes, limits: { maxBytes: 1_000_000 } });
  };

  test.each([
    ['', body],
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['gzip', gzipSync(Buffer.concat([small, Buffer.alloc(100_000_000)]))],
    // What comes behind what is enough may be broken: it is not looked at.
    ['gzip', damaged(gzipSync(body))],
  ])('is cut where that is there (%s)', async (encoding, encoded) => {
    const response = await part(encoding, encoded);
    expect(response.body?.subarray(0, enoughBytes).equals(small)).toBe(true);
    expect(response.body?.length).toBeGreaterThan(enoughBytes);
    // Inflating takes its time, and the rest may have come meanwhile.
    if (encoding === '') expect(response.bytesOnWire).toBeLessThan(encoded.length);
  });

  test('comes whole when it is no longer than that', async () => {
    for (const [encoding, encoded] of [
      ['', small],
      ['gzip', gzipSync(small)],
    ] as const)
      expect((await part(encoding, encoded)).body).toEqual(small);
  });
});
