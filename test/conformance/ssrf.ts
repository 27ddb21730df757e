import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { fetchFollowing } from '../../packages/server/src/fetch/fetch-following.ts';
import { HttpFetcher } from '../../packages/server/src/fetch/http-fetcher.ts';
import { type LocalSite, startSite } from '../../packages/server/src/fetch/testing/local-site.ts';
import { trapSockets } from '../../packages/server/src/fetch/testing/socket-trap.ts';
import { resolveLink } from '../../packages/server/src/urls/resolve-link.ts';
import type { ConformanceSet } from './conformance-set.ts';

interface Vector {
  readonly url: string;
  readonly expect: 'BLOCK' | 'ALLOW';
}

/** `at` gives a fetcher for which every name resolves to that address. */
type Position = (url: string, site: LocalSite, at: (address: string) => HttpFetcher) => Promise<unknown>;

const publicAddress = '93.184.216.34';
const privateAddress = '169.254.169.254';

/** At worst, a name means what it should not: wherever a vector has a name, it resolves to the metadata service. */
const positions: Readonly<Record<string, Position>> = {
  seed: (url, _, at) => at(privateAddress).fetch({ url }),
  link: async (href, site, at) => {
    const url = resolveLink(href, `${site.origin}/page`);
    if (url) await at(privateAddress).fetch({ url });
  },
  redirect: (url, site, at) =>
    fetchFollowing(at(privateAddress), { url: `${site.origin}/${encodeURIComponent(url)}` }, { maxHops: 5 }),
  'DNS answer': async (url, _, at) => {
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
    const address = isIP(host) ? host : privateAddress;
    for (const scheme of ['http', 'https']) {
      await at(address)
        .fetch({ url: `${scheme}://vector.example/` })
        .catch(() => {});
    }
  },
};

/**
 * No connection may open for a BLOCK vector, wherever it stands. Connections are counted at the socket, below the
 * guard, and none is really opened: there is nobody to be reached from a test.
 */
export const ssrf: ConformanceSet = {
  name: 'ssrf',
  async run(folder) {
    const vectors: Vector[] = JSON.parse(await readFile(join(folder, 'ssrf/vectors.json'), 'utf8'));
    const site = await startSite((request, response) => {
      response.writeHead(302, { location: decodeURIComponent(request.url?.slice(1) ?? '') }).end();
    });
    try {
      const misses: string[] = [];
      for (const vector of vectors) misses.push(...(await missesOf(vector, site)).slice(0, 1));
      return { passed: vectors.length - misses.length, total: vectors.length, misses };
    } finally {
      await site.close();
    }
  },
};

async function missesOf({ url, expect }: Vector, site: LocalSite): Promise<string[]> {
  if (expect === 'ALLOW') {
    const opened = await openedBy((allowed, _, at) => at(publicAddress).fetch({ url: allowed }), url, site);
    return opened.length > 0 ? [] : [`${url}: refused, though it is public`];
  }
  const misses: string[] = [];
  for (const [name, position] of Object.entries(positions)) {
    const opened = await openedBy(position, url, site);
    if (opened.length > 0) misses.push(`${url} as ${name}: connected to ${opened.join(', ')}`);
  }
  return misses;
}

/** The connections that a position would have opened, but for those to the local site. */
async function openedBy(position: Position, url: string, site: LocalSite): Promise<string[]> {
  const trap = trapSockets([site.port]);
  const fetchers: HttpFetcher[] = [];
  const at = (address: string) => {
    const resolve = async () => [{ address, family: isIP(address) }];
    const fetcher = new HttpFetcher({ allowOrigins: [site.origin], resolve });
    fetchers.push(fetcher);
    return fetcher;
  };
  await position(url, site, at).catch(() => {});
  for (const fetcher of fetchers) await fetcher.close();
  trap.release();
  return trap.opened;
}
