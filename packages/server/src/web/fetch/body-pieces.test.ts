import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BodyPieces } from './body-pieces.ts';
import { HttpFetcher } from './http-fetcher.ts';
import { type LocalSite, startSite } from './testing/local-site.ts';

const body = Buffer.from(randomBytes(4_000_000).toString('hex'));
let site: LocalSite;
let fetcher: HttpFetcher;

beforeAll(async () => {
  site = await startSite((request, response) => {
    if (request.url === '/gzip') {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(body, { level: 1 }));
    } else if (request.url === '/byte') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    else if (request.url === '/empty') response.end();
    else if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, 2_000_000), () => response.destroy());
    } else response.end(body);
  });
  fetcher = new HttpFetcher({ allowOrigins: [site.origin] });
});
afterAll(async () => {
  await fetcher.close();
  await site.close();
});

/** Reads a body piece by piece; `look` is between two of them. */
async function read(path: string, options = {}, look = async (_bytes: number) => true) {
  const pieces = new BodyPieces();
  let waiting = 0;
  let most = 0;
  const take = (piece: Buffer) => {
    waiting += piece.length;
    most = Math.max(most, waiting);
    return pieces.take(piece);
  };
  const seen: Buffer[] = [];
  const reading = (async () => {
    let bytes = 0;
    for await (const piece of pieces) {
      waiting -= piece.length;
      seen.push(piece);
      bytes += piece.length;
      if (!(await look(bytes))) break;
    }
  })();
  const limits = { maxBytes: 20_000_000 };
  const answer = fetcher.fetch({ url: `${site.origin}${path}`, limits, ...options, take });
  const response = await answer.then(
    (value) => value,
    (error) => error,
  );
  pieces.end();
  await reading;
  return { response, bytes: Buffer.concat(seen), most };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a body that is taken piece by piece', () => {
  test.each(['/plain', '/gzip'])('comes whole, and waits for its reader: %s', async (path) => {
    const { response, bytes, most } = await read(path, {}, async () => {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      return true;
    });
    expect(response).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(bytes.equals(body)).toBe(true);
    expect(most).toBeLessThan(1_000_000);
  });

  test.each(['/plain', '/gzip'])('ends where enough of it is there: %s', async (path) => {
    const { response, bytes } = await read(path, { enoughBytes: 1_000_000 });
    expect(response).toMatchObject({ status: 200 });
    expect(bytes.equals(body.subarray(0, bytes.length))).toBe(true);
    expect(bytes.length).toBeGreaterThan(500_000);
    expect(bytes.length).toBeLessThan(1_200_000);
  });

  test('is passed over when its reader wants no more', async () => {
    const { response, bytes } = await read('/plain', {}, async (count) => count < 100_000);
    expect(response).toMatchObject({ status: 200 });
    expect(bytes.length).toBeLessThan(1_000_000);
  });

  test('may be empty, or damaged, or cut short', async () => {
    expect(await read('/empty')).toMatchObject({ response: { status: 200 }, bytes: Buffer.alloc(0) });
    expect((await read('/byte')).response).toMatchObject({ code: expect.any(String) });
    const { response, bytes } = await read('/cut');
    expect(response).toMatchObject({ code: 'connection_failed' });
    expect(bytes.equals(body.subarray(0, bytes.length))).toBe(true);
  });
});
