import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseProxyUrl } from '@holdfast/contract';
import { pino } from 'pino';
import { checkTarget } from '../../packages/server/src/queue/webhooks/edit-webhooks.ts';
import { sendDelivery } from '../../packages/server/src/queue/webhooks/send-delivery.ts';
import { AccessTokens } from '../../packages/server/src/shop/collect/adapters/access-tokens.ts';
import type { AdapterContext } from '../../packages/server/src/shop/collect/adapters/adapter.ts';
import { askSource } from '../../packages/server/src/shop/collect/adapters/ask-source.ts';
import { fetchFollowing } from '../../packages/server/src/web/fetch/fetch-following.ts';
import type { Fetcher } from '../../packages/server/src/web/fetch/fetcher.ts';
import { HttpFetcher } from '../../packages/server/src/web/fetch/http-fetcher.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { trapSockets } from '../../packages/server/src/web/fetch/testing/socket-trap.ts';
import { fetchThrough } from '../../packages/server/src/web/proxy/fetch-through.ts';
import { ProxyPool } from '../../packages/server/src/web/proxy/proxy-pool.ts';
import { type LocalProxy, startSocksProxy } from '../../packages/server/src/web/proxy/testing/local-proxy.ts';
import { resolveLink } from '../../packages/server/src/web/urls/plain-link.ts';
import type { ConformanceSet } from './conformance-set.ts';

interface Vector {
  readonly url: string;
  readonly expect: 'BLOCK' | 'ALLOW';
}

/** `at` gives a fetcher for which every name resolves to that address. */
type Position = (url: string, site: LocalSite, at: (address: string) => Fetcher) => Promise<unknown>;

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
    for (const scheme of ['http', 'https']) {
      await at(addressOf(url))
        .fetch({ url: `${scheme}://vector.example/` })
        .catch(() => {});
    }
  },
  'adapter URL': async (url, _, at) => {
    await ask(at(privateAddress), json({ url })).catch(() => {});
    await ask(at(privateAddress), html({ url }));
  },
  'token URL of an adapter': (url, site, at) => {
    const oauth = { token_url: url, client_id: 'me', client_secret: '{env:HOLDFAST_SECRET_X}' };
    return ask(at(privateAddress), json({ url: `${site.origin}/`, oauth }));
  },
  'redirect of an adapter': (url, site, at) =>
    ask(at(privateAddress), json({ url: `${site.origin}/${encodeURIComponent(url)}` })),
  'next page of an adapter': (url, site, at) =>
    ask(
      at(privateAddress),
      json({ url: `${site.origin}/next/${encodeURIComponent(url)}`, paging: { next: 'next' }, max_pages: 2 }),
    ),
  'webhook URL': (url, _, at) => deliver(at(privateAddress), url),
  'new webhook': async (url, _, at) => deliver(at(privateAddress), checkTarget(url, [])),
  'redirect of a webhook': (url, site, at) =>
    deliver(at(privateAddress), `${site.origin}/${encodeURIComponent(url)}`),
  'DNS answer of a webhook': async (url, _, at) => {
    for (const scheme of ['http', 'https']) await deliver(at(addressOf(url)), `${scheme}://vector.example/`);
  },
};

function addressOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
  return isIP(host) ? host : privateAddress;
}

const json = (config: object) => ({
  adapter_type: 'json',
  config: { items: 'items', fields: { price: 'price' }, currency: 'USD', ...config },
});
const html = (config: object) => ({
  adapter_type: 'html',
  config: { item: 'li', fields: { price: 'b' }, ...config },
});

/** Without the governor, which needs a database and opens no connections to sites; it follows redirects the same way. */
async function ask(fetcher: Fetcher, source: Parameters<typeof askSource>[0]): Promise<unknown> {
  const context: AdapterContext = {
    sourceId: 'shop',
    fetcher: {
      fetch: async (request, { maxHops, headersAreSecret }) =>
        (await fetchFollowing(fetcher, request, { maxHops, headersAreSecret })).response,
    },
    tokens: new AccessTokens(),
    secrets: { HOLDFAST_SECRET_X: 'x' },
    folder: undefined,
    moduleProgram: '',
    log: pino({ level: 'silent' }),
    leaseEnds: () => Number.POSITIVE_INFINITY,
    signal: AbortSignal.timeout(20_000),
  };
  return askSource(source, { title: 'x' }, context);
}

function deliver(fetcher: Fetcher, url: string): Promise<unknown> {
  const delivery = {
    id: '01a1e1d5-de60-7d19-800b-34c5346a372f',
    payload: '{}',
    url,
    secrets: ['whsec_eA=='],
  };
  return sendDelivery(delivery, { fetcher, timeoutSeconds: 15 });
}

/**
 * No connection may open for a BLOCK vector, wherever it stands. Connections are counted at the socket, below the
 * guard, and none is really opened: there is nobody to be reached from a test.
 */
export const ssrf: ConformanceSet = {
  name: 'ssrf',
  async run(folder) {
    const vectors: Vector[] = JSON.parse(await readFile(join(folder, 'ssrf/vectors.json'), 'utf8'));
    const site = await startSite((request, response) => {
      const [, isPage, target = ''] = /^\/(next\/)?(.*)$/.exec(request.url ?? '') ?? [];
      const next = decodeURIComponent(target);
      if (isPage) {
        const page = { items: [{ price: '5' }], next };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
      } else {
        response.writeHead(302, { location: Buffer.from(next).toString('latin1') }).end();
      }
    });
    const proxy = await startSocksProxy({
      instead: (target, client) => target !== `127.0.0.1:${site.port}` && client.destroy().destroyed,
    });
    try {
      const misses: string[] = [];
      for (const vector of vectors) misses.push(...(await missesOf(vector, site, proxy)).slice(0, 1));
      return { passed: vectors.length - misses.length, total: vectors.length, misses };
    } finally {
      await proxy.close();
      await site.close();
    }
  },
};

async function missesOf({ url, expect }: Vector, site: LocalSite, proxy: LocalProxy): Promise<string[]> {
  if (expect === 'ALLOW') {
    // In each of our ways to the outside: a position that opens nothing at all would prove nothing.
    for (const name of ['seed', 'adapter URL', 'webhook URL', 'new webhook']) {
      const position: Position = async (allowed, ours, at) =>
        positions[name]?.(allowed, ours, () => at(publicAddress));
      if ((await openedBy(position, url, site)).length === 0)
        return [`${url} as ${name}: refused, though it is public`];
      if ((await openedBy(position, url, site, proxy)).length === 0)
        return [`${url} as ${name}, through a proxy: refused, though it is public`];
    }
    return [];
  }
  const misses: string[] = [];
  for (const [name, position] of Object.entries(positions)) {
    const opened = await openedBy(position, url, site);
    if (opened.length > 0) misses.push(`${url} as ${name}: connected to ${opened.join(', ')}`);
    const asked = await openedBy(position, url, site, proxy);
    if (asked.length > 0) misses.push(`${url} as ${name}, through a proxy: asked for ${asked.join(', ')}`);
  }
  return misses;
}

/** The connections that a position would have opened, but for those to the local site. */
async function openedBy(
  position: Position,
  url: string,
  site: LocalSite,
  proxy?: LocalProxy,
): Promise<string[]> {
  const trap = trapSockets([site.port, ...(proxy ? [proxy.port] : [])]);
  const fetchers: HttpFetcher[] = [];
  const at = (address: string) => {
    const resolve = async () => [{ address, family: isIP(address) }];
    const fetcher = new HttpFetcher({ allowOrigins: [site.origin], resolve });
    fetchers.push(fetcher);
    return proxy ? proxied(fetcher, proxy) : fetcher;
  };
  await position(url, site, at).catch(() => {});
  for (const fetcher of fetchers) await fetcher.close();
  trap.release();
  return [
    ...trap.opened,
    ...(proxy?.asked.splice(0) ?? []).filter((target) => target !== `127.0.0.1:${site.port}`),
  ];
}

/** A fetcher that goes through a proxy on loopback, which connects to nothing but the local site. */
function proxied(fetcher: HttpFetcher, { port }: LocalProxy): Fetcher {
  const pool = new ProxyPool({
    name: 'proxy',
    servers: [parseProxyUrl(`socks5://127.0.0.1:${port}`)],
    mayBePrivate: true,
  });
  return { fetch: (request) => fetchThrough(fetcher, pool, request), close: () => fetcher.close() };
}
