import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { acceptEncoding } from './content-coding.ts';
import { RequestNotSent } from './fetcher.ts';
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts';
import { certificate } from './testing/certificate.ts';
import { failureOf } from './testing/failure-of.ts';
import { type LocalSite, startRawSite, startSecureSite, startSite } from './testing/local-site.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function site(answer: RequestListener): Promise<LocalSite> {
  const started = await startSite(answer);
  closers.push(started.close);
  return started;
}

function fetcherFor(sites: LocalSite[], options: HttpFetcherOptions = {}): HttpFetcher {
  const fetcher = new HttpFetcher({ allowOrigins: sites.map(({ origin }) => origin), ...options });
  closers.push(() => fetcher.close());
  return fetcher;
}

describe('a fetch over HTTP', () => {
  test('answers with status, head, body and where it came from', async () => {
    const local = await site((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        etag: '"1"',
        'x-robots-tag': 'none',
      });
      response.end('<p>hello');
    });
    const response = await fetcherFor([local]).fetch({ url: `${local.origin}/a?b=c#d` });
    expect(response).toMatchObject({
      url: `${local.origin}/a?b=c`,
      status: 200,
      contentType: 'text/html; charset=utf-8',
      etag: '"1"',
      bytesOnWire: 8,
      remoteAddress: '127.0.0.1',
    });
    expect(response.headers['x-robots-tag']).toBe('none');
    expect(response.body?.toString()).toBe('<p>hello');
    expect(Object.values(response.timings).every((ms) => ms >= 0)).toBe(true);
    expect(local.requests).toEqual(['GET /a?b=c']);
  });

  test('sends the headers it was given, and none of the user info in the URL', async () => {
    const seen: Record<string, unknown>[] = [];
    const local = await site((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    const response = await fetcherFor([local]).fetch({
      url: local.origin.replace('//', '//user:secret@'),
      userAgent: 'Tester/1',
      accept: 'text/plain',
      acceptLanguage: 'de',
      ifNoneMatch: '"1"',
      ifModifiedSince: 'Tue, 01 Jan 2030 00:00:00 GMT',
      headers: { 'X-Api-Key': 'k' },
    });
    expect(response.url).toBe(`${local.origin}/`);
    expect(seen).toEqual([
      {
        host: local.origin.slice('http://'.length),
        connection: 'keep-alive',
        'user-agent': 'Tester/1',
        accept: 'text/plain',
        'accept-encoding': acceptEncoding,
        'accept-language': 'de',
        'if-none-match': '"1"',
        'if-modified-since': 'Tue, 01 Jan 2030 00:00:00 GMT',
        'x-api-key': 'k',
      },
    ]);
  });

  test('refuses headers of the connection, and headers that are none', async () => {
    const local = await site((_, response) => response.end());
    const fetcher = fetcherFor([local]);
    for (const headers of [
      { Host: 'other' },
      { 'transfer-encoding': 'chunked' },
      { 'x-a': 'b\r\nx-c: d' },
      { 'x a': '' },
    ]) {
      expect(await failureOf(fetcher.fetch({ url: local.origin, headers }))).toMatchObject({
        code: 'bad_request',
      });
    }
    expect(local.requests).toEqual([]);
  });

  test('follows no redirect, and leaves its body', async () => {
    const local = await site((_, response) => {
      response.writeHead(301, { location: '/there' }).end('<p>moved');
    });
    const fetcher = fetcherFor([local]);
    for (const path of ['/a', '/b']) {
      const response = await fetcher.fetch({ url: local.origin + path });
      expect(response).toMatchObject({ status: 301, location: `${local.origin}/there`, body: undefined });
    }
    expect(local.requests).toEqual(['GET /a', 'GET /b']);
  });

  test('answers 304 without a body, and 204 with an empty one', async () => {
    const local = await site((request, response) => {
      const headers = request.url === '/304' ? { 'content-length': 123_456 } : {};
      response.writeHead(Number(request.url?.slice(1)), headers).end();
    });
    const fetcher = fetcherFor([local]);
    expect((await fetcher.fetch({ url: `${local.origin}/304` })).body).toBeUndefined();
    expect((await fetcher.fetch({ url: `${local.origin}/204` })).body).toHaveLength(0);
  });

  test('passes over what comes before the answer (103 Early Hints)', async () => {
    const local = await site((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' }, () => response.end('page'));
    });
    expect((await fetcherFor([local]).fetch({ url: local.origin })).body?.toString()).toBe('page');
  });

  test('works over TLS, by name and by address, when the certificate is trusted', async () => {
    const local = await startSecureSite((_, response) => response.end('secret'));
    closers.push(local.close);
    const named = `https://secure.test:${local.port}`;
    const fetcher = fetcherFor([local], {
      allowOrigins: [local.origin, named],
      ca: [certificate.cert],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    for (const url of [named, local.origin])
      expect((await fetcher.fetch({ url })).body?.toString()).toBe('secret');
  });
});

describe('a body that is not wanted', () => {
  const large = Buffer.alloc(5_000_000);

  test('is not downloaded when it is large', async () => {
    const closed = vi.fn();
    const local = await site((request, response) => {
      request.socket.on('close', () => closed(request.socket.bytesWritten));
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1e9 });
      response.write(large);
    });
    const response = await fetcherFor([local]).fetch({
      url: local.origin,
      acceptHead: ({ contentType }) => contentType === 'text/html',
    });
    expect(response).toMatchObject({ status: 200, contentType: 'video/mp4', body: undefined });
    await vi.waitUntil(() => closed.mock.calls.length > 0, { interval: 1 });
  });

  test('is read to its end when it is small, and the connection used again', async () => {
    const local = await site((_, response) => response.setHeader('content-type', 'text/css').end('p {}'));
    const fetcher = fetcherFor([local]);
    for (let round = 0; round < 5; round++) {
      expect((await fetcher.fetch({ url: local.origin, acceptHead: () => false })).body).toBeUndefined();
    }
    expect(local.connections()).toBe(1);
  });

  test('is cut off when it turns out large', async () => {
    const local = await site((_, response) => {
      response.on('close', () => response.destroy());
      response.write(large);
    });
    expect(
      (await fetcherFor([local]).fetch({ url: local.origin, acceptHead: () => false })).body,
    ).toBeUndefined();
    await vi.waitUntil(() => local.openConnections() === 0, { interval: 1 });
  });

  test('is left to nobody when the gate itself fails', async () => {
    const local = await site((_, response) => response.end('page'));
    const acceptHead = () => {
      throw new Error('a bug of the caller');
    };
    await expect(fetcherFor([local]).fetch({ url: local.origin, acceptHead })).rejects.toThrow(
      'a bug of the caller',
    );
  });
});

describe('connections', () => {
  test('are kept and used again', async () => {
    const local = await site((_, response) => response.end('page'));
    const fetcher = fetcherFor([local]);
    for (let round = 0; round < 10; round++) await fetcher.fetch({ url: local.origin });
    expect(local.connections()).toBe(1);
  });

  test('to one origin are at most as many as allowed', async () => {
    let underWay = 0;
    let most = 0;
    const local = await site((_, response) => {
      most = Math.max(most, ++underWay);
      setImmediate(() => {
        underWay -= 1;
        response.end('page');
      });
    });
    const fetcher = fetcherFor([local], { connectionsPerOrigin: 3 });
    await Promise.all(Array.from({ length: 50 }, (_, at) => fetcher.fetch({ url: `${local.origin}/${at}` })));
    expect(local.requests).toHaveLength(50);
    expect(local.connections()).toBe(3);
    expect(most).toBeLessThanOrEqual(3);
  });

  test('to origins long unused are closed when there are too many', async () => {
    const sites = await Promise.all([1, 2, 3].map(() => site((_, response) => response.end('page'))));
    const fetcher = fetcherFor(sites, { maxOrigins: 2, keepAliveMs: 60_000 });
    for (const { origin } of sites) await fetcher.fetch({ url: origin });
    const open = () => sites.map((local) => local.openConnections());
    await vi.waitUntil(() => open()[0] === 0, { interval: 1 });
    expect(open()).toEqual([0, 1, 1]);
  });

  test('are opened anew when the site closed them', async () => {
    const local = await site((_, response) => response.setHeader('connection', 'close').end('page'));
    const fetcher = fetcherFor([local], { connectionsPerOrigin: 1 });
    await Promise.all([1, 2, 3].map(() => fetcher.fetch({ url: local.origin })));
    expect(local.connections()).toBe(3);
  });

  test('that a site cut after a request are not tried again behind our back', async () => {
    const local = await site((request) => request.socket.destroy());
    expect(await failureOf(fetcherFor([local]).fetch({ url: local.origin }))).toMatchObject({
      code: 'connection_failed',
      retry: 'later',
    });
    expect(local.requests).toHaveLength(1);
  });
});

describe('a fetch that is called off', () => {
  const reason = new Error('the job was cancelled');

  test('ends at once with the reason, and its connection with it', async () => {
    const controller = new AbortController();
    const local = await site(() => controller.abort(reason));
    const fetched = fetcherFor([local]).fetch({ url: local.origin, signal: controller.signal });
    await expect(fetched).rejects.toBe(reason);
    await vi.waitUntil(() => local.openConnections() === 0, { interval: 1 });
  });

  test('without a reason ends with an AbortError', async () => {
    const controller = new AbortController();
    const local = await site(() => controller.abort());
    const fetched = fetcherFor([local]).fetch({ url: local.origin, signal: controller.signal });
    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('while it waits for a connection never reaches the site', async () => {
    const controller = new AbortController();
    const held: (() => void)[] = [];
    const local = await site((_, response) => held.push(() => response.end('page')));
    const fetcher = fetcherFor([local], { connectionsPerOrigin: 1 });
    const first = fetcher.fetch({ url: `${local.origin}/first` });
    const second = fetcher.fetch({ url: `${local.origin}/second`, signal: controller.signal });
    const third = fetcher.fetch({ url: `${local.origin}/third` });
    await vi.waitUntil(() => held.length === 1, { interval: 1 });
    controller.abort(reason);
    await expect(second).rejects.toBe(reason);
    held[0]?.();
    await first;
    await vi.waitUntil(() => held.length === 2, { interval: 1 });
    held[1]?.();
    await third;
    expect(local.requests).toEqual(['GET /first', 'GET /third']);
  });

  test.each(['new', 'kept'])('when a %s connection is there never reaches the site', async (connection) => {
    const local = await site((_, response) => response.end('page'));
    const fetcher = fetcherFor([local], { connectionsPerOrigin: 1 });
    if (connection === 'kept') await fetcher.fetch({ url: `${local.origin}/before` });
    const refused = fetcher.fetch({ url: `${local.origin}/refused`, mayAsk: () => false });
    await expect(refused).rejects.toBeInstanceOf(RequestNotSent);
    await fetcher.fetch({ url: `${local.origin}/after`, mayAsk: () => true });
    expect(local.requests).not.toContain('GET /refused');
    expect(local.requests.at(-1)).toBe('GET /after');
  });

  test('before it began does nothing', async () => {
    const local = await site((_, response) => response.end());
    const fetched = fetcherFor([local]).fetch({ url: local.origin, signal: AbortSignal.abort(reason) });
    await expect(fetched).rejects.toBe(reason);
    expect(local.connections()).toBe(0);
  });

  test('shares one listener with all others of its signal, however many there were', async () => {
    const calledOff = new AbortController();
    const { signal } = calledOff;
    const added = vi.spyOn(signal, 'addEventListener');
    const local = await site((request, response) => {
      if (request.url === '/quick') response.end();
    });
    const fetcher = fetcherFor([local]);
    for (let n = 0; n < 3; n++) await fetcher.fetch({ url: `${local.origin}/quick`, signal });
    const hanging = ['/a', '/b'].map((path) => fetcher.fetch({ url: `${local.origin}${path}`, signal }));
    await vi.waitUntil(() => local.requests.length === 5, { interval: 1 });
    expect(added).toHaveBeenCalledOnce();
    calledOff.abort();
    for (const { status } of await Promise.allSettled(hanging)) expect(status).toBe('rejected');
  });

  test('by closing the fetcher may be tried later', async () => {
    const local = await site(() => {});
    const fetcher = fetcherFor([local]);
    const failure = failureOf(fetcher.fetch({ url: local.origin }));
    await vi.waitUntil(() => local.requests.length === 1, { interval: 1 });
    await fetcher.close();
    expect(await failure).toMatchObject({ code: 'connection_failed', retry: 'later' });
    expect(await failureOf(fetcher.fetch({ url: local.origin }))).toMatchObject({
      code: 'connection_failed',
    });
  });
});

describe('what goes wrong is named', () => {
  const codeOf = async (talk: Parameters<typeof startRawSite>[0]) => {
    const local = await startRawSite(talk);
    closers.push(local.close);
    return (await failureOf(fetcherFor([local]).fetch({ url: local.origin }))).code;
  };

  test.each([
    ['response_invalid', 'what is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['response_invalid', 'a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['response_invalid', 'a broken head', 'HTTP/1.1 200 OK\r\nno header\r\n\r\n'],
    ['response_invalid', 'a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    [
      'connection_failed',
      'a last chunk without its end',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc',
    ],
    ['connection_failed', 'nothing at all', ''],
    ['connection_failed', 'less than it announced', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    [
      'connection_failed',
      'a chunk without its end',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc',
    ],
  ])('%s for a site that sends %s', async (code, _, bytes) => {
    expect(await codeOf((socket) => socket.once('data', () => socket.end(bytes)))).toBe(code);
  });

  test('connection_failed where nobody listens', async () => {
    const local = await startSite(() => {});
    await local.close();
    expect(await failureOf(fetcherFor([local]).fetch({ url: local.origin }))).toMatchObject({
      code: 'connection_failed',
      detail: 'ECONNREFUSED',
    });
  });

  test('tls_failed for a certificate that is not trusted, and for what is not TLS', async () => {
    const secure = await startSecureSite((_, response) => response.end());
    closers.push(secure.close);
    const plain = await site((_, response) => response.end());
    const origin = plain.origin.replace('http:', 'https:');
    const fetcher = fetcherFor([secure], { allowOrigins: [secure.origin, origin] });
    for (const url of [secure.origin, origin]) {
      expect(await failureOf(fetcher.fetch({ url }))).toMatchObject({ code: 'tls_failed', retry: 'never' });
    }
  });

  test('dns_failed for a name that has no address', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example'), { code: 'ENOTFOUND' });
    };
    for (const resolver of [resolve, async () => []]) {
      expect(
        await failureOf(fetcherFor([], { resolve: resolver }).fetch({ url: 'http://nowhere.example/' })),
      ).toMatchObject({
        code: 'dns_failed',
        retry: 'later',
      });
    }
  });

  test.each(['', 'example.com', '/path', 'http://', 'http://exa mple/', 'http://a:99999/'])(
    'url_invalid for %j',
    async (url) => expect((await failureOf(fetcherFor([]).fetch({ url }))).code).toBe('url_invalid'),
  );
});
