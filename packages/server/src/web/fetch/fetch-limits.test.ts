import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createInterface } from 'node:readline';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { bundleProgram } from '../../../../../test/bundle-program.ts';
import type { FetchLimits } from './fetcher.ts';
import { HttpFetcher } from './http-fetcher.ts';
import { zeros } from './testing/bomb.ts';
import { failureOf } from './testing/failure-of.ts';
import { type LocalSite, startSite } from './testing/local-site.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function site(answer: RequestListener): Promise<LocalSite> {
  const local = await startSite(answer);
  closers.push(local.close);
  return local;
}

async function failure(answer: RequestListener, limits: Partial<FetchLimits>) {
  const local = await site(answer);
  const fetcher = new HttpFetcher({ allowOrigins: [local.origin] });
  closers.push(() => fetcher.close());
  return await failureOf(fetcher.fetch({ url: local.origin, limits }));
}

/** A byte now and then, for ever. */
const trickle: RequestListener = (_, response) => {
  const timer = setInterval(() => response.write('.'), 20);
  response.on('close', () => clearInterval(timer));
};

describe('a site that is slow', () => {
  test('with the connection runs into its own deadline', async () => {
    // Where names never resolve, nothing connects.
    const fetcher = new HttpFetcher({ resolve: () => new Promise(() => {}), limits: { connectMs: 150 } });
    closers.push(() => fetcher.close());
    expect(await failureOf(fetcher.fetch({ url: 'http://example.com/' }))).toMatchObject({
      code: 'fetch_timed_out',
      detail: 'no connection within 0.15 s',
      retry: 'later',
    });
  });

  test('with the headers runs into theirs', async () => {
    expect(await failure(() => {}, { headersMs: 150 })).toMatchObject({
      code: 'fetch_timed_out',
      detail: 'no headers within 0.15 s',
    });
  });

  test('with the headers, a byte at a time, runs into the same', async () => {
    const answer: RequestListener = (request) => {
      const { socket } = request;
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      const timer = setInterval(() => socket.write('y'), 20);
      socket.on('close', () => clearInterval(timer));
    };
    expect(await failure(answer, { headersMs: 300 })).toMatchObject({ code: 'fetch_timed_out' });
  });

  test('with the body is given up when it trickles', async () => {
    expect(await failure(trickle, { graceMs: 300, minBytesPerSecond: 1000 })).toMatchObject({
      code: 'body_too_slow',
      retry: 'later',
    });
  });

  test('with the body is given up when it stalls after a good start', async () => {
    const answer: RequestListener = (_, response) => void response.write(Buffer.alloc(1_000_000));
    expect((await failure(answer, { graceMs: 300, minBytesPerSecond: 1000 })).code).toBe('body_too_slow');
  });

  test('within all limits runs into the deadline for the whole', async () => {
    expect(await failure(trickle, { totalMs: 400, minBytesPerSecond: 1 })).toMatchObject({
      code: 'fetch_timed_out',
      detail: 'not complete within 0.4 s',
    });
  });

  test('does not hold up what nobody waits for: an unwanted body that trickles', async () => {
    const local = await site(trickle);
    const fetcher = new HttpFetcher({
      allowOrigins: [local.origin],
      connectionsPerOrigin: 1,
      limits: { graceMs: 200, minBytesPerSecond: 1000 },
    });
    closers.push(() => fetcher.close());
    for (let round = 0; round < 2; round++)
      await fetcher.fetch({ url: local.origin, acceptHead: () => false });
    expect(local.connections()).toBe(2);
  });

  test('but steady is let finish', async () => {
    const local = await site((_, response) => {
      let left = 30;
      const timer = setInterval(() => {
        response.write(Buffer.alloc(1000));
        if (--left > 0) return;
        clearInterval(timer);
        response.end();
      }, 20);
    });
    const fetcher = new HttpFetcher({
      allowOrigins: [local.origin],
      limits: { graceMs: 150, minBytesPerSecond: 2000 },
    });
    closers.push(() => fetcher.close());
    expect((await fetcher.fetch({ url: local.origin })).body).toHaveLength(30_000);
  });
});

describe('a body that is too large', () => {
  test('by its own word is not downloaded', async () => {
    const answer: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-length': 20_000_000 }).write('a');
    };
    expect((await failure(answer, {})).code).toBe('body_too_large');
  });

  test('without end is cut at the limit', async () => {
    const answer: RequestListener = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(100_000)));
      };
      response.on('drain', more);
      more();
    };
    expect((await failure(answer, { maxBytes: 3_000_000 })).code).toBe('body_too_large');
  });
});

describe('a decompression bomb', () => {
  test('of 10 MB that would be 10 GB costs less than 64 MB, and ends with its code', async () => {
    const gzip = await zeros(10_100);
    expect(gzip.length).toBeGreaterThan(10_000_000);
    expect(gzip.length).toBeLessThan(10 * 1024 * 1024);
    const bodies: Record<string, [string, Buffer]> = {
      '/warm-up': ['gzip', gzipSync(Buffer.alloc(100_000))],
      '/gzip': ['gzip', gzip],
      '/twice': ['gzip, gzip', gzipSync(gzip)],
      '/br': [
        'br',
        brotliCompressSync(Buffer.alloc(200 * 1024 * 1024), {
          params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
        }),
      ],
      '/small': ['gzip', await zeros(50)],
    };
    const local = await site((request, response) => {
      const [encoding, body] = bodies[request.url ?? ''] ?? ['', Buffer.alloc(0)];
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body);
    });
    // In a process of its own: this one holds the bombs.
    const program = await bundleProgram('packages/server/src/web/fetch/testing/bomb-program.ts');
    const paths = ['/gzip', '/twice', '/br', '/small'];
    const child = spawn(process.execPath, [program, local.origin, ...paths], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: { path: string; outcome: string; grownMb: number }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    await once(child, 'close');
    expect(lines.map(({ path, outcome }) => [path, outcome])).toEqual(
      paths.map((path) => [path, 'body_too_large']),
    );
    for (const { path, grownMb } of lines) expect(grownMb, path).toBeLessThan(64);
  });
});
