import { afterEach, describe, expect, test } from 'vitest';
import { fetchFollowing, type Hop } from './fetch-following.ts';
import { HttpFetcher } from './http-fetcher.ts';
import { failureOf } from './testing/failure-of.ts';
import { type LocalSite, startSite } from './testing/local-site.ts';

const sites: LocalSite[] = [];
const fetchers: HttpFetcher[] = [];
afterEach(async () => {
  for (const fetcher of fetchers.splice(0)) await fetcher.close();
  for (const site of sites.splice(0)) await site.close();
});

/** Redirects from /n to /n-1 until /0; other paths to whatever they hold. */
async function chain(seen: Record<string, unknown>[] = []): Promise<LocalSite> {
  const site = await startSite((request, response) => {
    seen.push(request.headers);
    const path = decodeURIComponent(request.url?.slice(1) ?? '');
    if (path === '0') response.end('here');
    else response.writeHead(302, { location: /^\d+$/.test(path) ? `/${Number(path) - 1}` : path }).end();
  });
  sites.push(site);
  return site;
}

function fetcherFor(...allowed: LocalSite[]): HttpFetcher {
  const fetcher = new HttpFetcher({ allowOrigins: allowed.map(({ origin }) => origin) });
  fetchers.push(fetcher);
  return fetcher;
}

describe('following redirects', () => {
  test('goes as far as allowed, and tells the way', async () => {
    const site = await chain();
    const { response, hops } = await fetchFollowing(
      fetcherFor(site),
      { url: `${site.origin}/5` },
      { maxHops: 5 },
    );
    expect(response.url).toBe(`${site.origin}/0`);
    expect(response.body?.toString()).toBe('here');
    expect(hops.map(({ to, number }) => [to, number])).toEqual(
      [4, 3, 2, 1, 0].map((at, index) => [`${site.origin}/${at}`, index + 1]),
    );
  });

  test('stops at one redirect more', async () => {
    const site = await chain();
    const following = fetchFollowing(fetcherFor(site), { url: `${site.origin}/6` }, { maxHops: 5 });
    expect(await failureOf(following)).toMatchObject({ code: 'too_many_redirects', retry: 'never' });
    expect(site.requests).toHaveLength(6);
  });

  test('asks before each hop, and takes no for an answer', async () => {
    const site = await chain();
    const asked: Hop[] = [];
    const onHop = async (hop: Hop) => asked.push(hop) < 2;
    const { response } = await fetchFollowing(
      fetcherFor(site),
      { url: `${site.origin}/3` },
      { maxHops: 5, onHop },
    );
    expect(response).toMatchObject({ status: 302, location: `${site.origin}/1`, url: `${site.origin}/2` });
    expect(asked.map(({ from }) => from)).toEqual([`${site.origin}/3`, `${site.origin}/2`]);
    expect(site.requests).toEqual(['GET /3', 'GET /2']);
  });

  test('hands no secret to another origin, and no validator to another URL', async () => {
    const [seenByFirst, seenBySecond]: Record<string, unknown>[][] = [[], []];
    const [first, second] = [await chain(seenByFirst), await chain(seenBySecond)];
    const request = {
      url: `${first.origin}/${encodeURIComponent(`${second.origin}/1`)}`,
      ifNoneMatch: '"1"',
      ifModifiedSince: 'Tue, 01 Jan 2030 00:00:00 GMT',
      headers: { Authorization: 'Bearer x', cookie: 'a=b', 'x-other': 'y' },
    };
    await fetchFollowing(fetcherFor(first, second), request, { maxHops: 5 });
    expect(seenByFirst?.[0]).toMatchObject({
      authorization: 'Bearer x',
      cookie: 'a=b',
      'if-none-match': '"1"',
    });
    expect(seenBySecond).toHaveLength(2);
    for (const headers of seenBySecond ?? []) {
      expect(headers).toMatchObject({ 'x-other': 'y' });
      for (const name of ['authorization', 'cookie', 'if-none-match', 'if-modified-since']) {
        expect(headers).not.toHaveProperty(name);
      }
    }
  });

  test('answers with a redirect that leads nowhere', async () => {
    const site = await chain();
    const { response } = await fetchFollowing(
      fetcherFor(site),
      { url: `${site.origin}/http%3A%2F%2F` },
      { maxHops: 5 },
    );
    expect(response).toMatchObject({ status: 302, location: undefined });
  });

  test('has one deadline for all hops together', async () => {
    const site = await startSite((_, response) => {
      response.writeHead(302, { location: '/on' });
      setTimeout(() => response.end(), 50);
      response.flushHeaders();
    });
    sites.push(site);
    const request = { url: site.origin, limits: { totalMs: 400 } };
    const failure = await failureOf(fetchFollowing(fetcherFor(site), request, { maxHops: 1e6 }));
    expect(failure.code).toBe('fetch_timed_out');
  });
});
