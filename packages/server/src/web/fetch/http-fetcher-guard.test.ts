import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResolveHost } from './connection.ts';
import { fetchFollowing } from './fetch-following.ts';
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts';
import { failureOf } from './testing/failure-of.ts';
import { type LocalSite, startSite } from './testing/local-site.ts';
import { type SocketTrap, trapSockets } from './testing/socket-trap.ts';

let site: LocalSite;
let trap: SocketTrap;
let target = '';
const fetchers: HttpFetcher[] = [];

beforeEach(async () => {
  site = await startSite((_, response) => response.writeHead(302, { location: target }).end());
  trap = trapSockets([site.port]);
});
afterEach(async () => {
  for (const fetcher of fetchers.splice(0)) await fetcher.close();
  trap.release();
  await site.close();
});

function guarded(options: HttpFetcherOptions = {}): HttpFetcher {
  const fetcher = new HttpFetcher({ allowOrigins: [site.origin], ...options });
  fetchers.push(fetcher);
  return fetcher;
}

/** A resolver that answers each call with the next list. */
function answers(...lists: string[][]): ResolveHost & { readonly asked: string[] } {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    const list = lists[Math.min(asked.push(hostname), lists.length) - 1] ?? [];
    return list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

describe('a guarded fetch', () => {
  test('opens no socket to an address of this network, however it is written', async () => {
    const fetcher = guarded();
    for (const url of [
      'http://127.0.0.1:1234/',
      'http://0x7f000001/',
      'https://[::1]/',
      'http://localhost/',
    ]) {
      expect(await failureOf(fetcher.fetch({ url }))).toMatchObject({
        code: 'address_forbidden',
        retry: 'never',
      });
    }
    expect(trap.opened).toEqual([]);
  });

  test('asks no resolver about a name of this network', async () => {
    const resolve = answers(['127.0.0.1']);
    await failureOf(guarded({ resolve }).fetch({ url: 'http://metadata.google.internal/' }));
    expect(resolve.asked).toEqual([]);
  });

  test.each([[['10.0.0.1']], [['::1']], [['8.8.8.8', '127.0.0.1']], [['::ffff:169.254.169.254']]])(
    'opens no socket to a public name that resolves to %j',
    async (list) => {
      for (const url of ['http://evil.example/', 'https://evil.example/']) {
        const failure = await failureOf(guarded({ resolve: answers(list) }).fetch({ url }));
        expect(String(failure)).toBe('HoldfastError: The address is not allowed');
      }
      expect(trap.opened).toEqual([]);
    },
  );

  test('connects to the very answer that was checked: a name is resolved once for each connection', async () => {
    const resolve = answers(['8.8.8.8', '2606:4700::1111'], ['127.0.0.1']);
    const fetcher = guarded({ resolve });
    expect((await failureOf(fetcher.fetch({ url: 'http://rebind.example/' }))).code).toBe(
      'connection_failed',
    );
    expect(resolve.asked).toEqual(['rebind.example']);
    expect(trap.opened).toEqual(['8.8.8.8:80', '2606:4700::1111:80']);
    expect((await failureOf(fetcher.fetch({ url: 'http://rebind.example/' }))).code).toBe(
      'address_forbidden',
    );
    expect(trap.opened).toHaveLength(2);
  });

  test('checks every hop of a redirect', async () => {
    const resolve = answers(['192.168.0.1']);
    for (target of [
      'http://169.254.169.254/latest/',
      'http://[::ffff:7f00:1]/',
      'http://evil.example/',
      'file:///etc/passwd',
    ]) {
      const failure = await failureOf(
        fetchFollowing(guarded({ resolve }), { url: site.origin }, { maxHops: 5 }),
      );
      expect(failure.code).toBe(target.startsWith('file') ? 'url_invalid' : 'address_forbidden');
    }
    expect(trap.opened).toEqual([]);
    expect(site.requests).toHaveLength(4);
  });

  test('reaches an origin on the allow-list by a private name too, and no other port of it', async () => {
    const resolve = answers(['127.0.0.1']);
    const fetcher = guarded({ resolve, allowOrigins: ['http://wiki.corp:81'] });
    expect((await failureOf(fetcher.fetch({ url: 'http://wiki.corp:81/' }))).code).toBe('connection_failed');
    expect(trap.opened).toEqual(['127.0.0.1:81']);
    expect((await failureOf(fetcher.fetch({ url: 'http://wiki.corp:82/' }))).code).toBe('address_forbidden');
    expect((await failureOf(fetcher.fetch({ url: 'http://127.0.0.1:81/' }))).code).toBe('address_forbidden');
    expect(trap.opened).toHaveLength(1);
  });
});
