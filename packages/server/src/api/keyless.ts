import type { AddressInfo } from 'node:net';
import { type ApiKey, type Configuration, HoldfastError, settings } from '@holdfast/contract';
import type { FastifyRequest } from 'fastify';

/**
 * Stands in for a key (HOLDFAST_KEYLESS). Limited to the local owner: it cannot create keys or act for others, which bounds
 * the damage of a bypass.
 */
export const localKey: ApiKey = {
  id: '00000000-0000-0000-0000-000000000000',
  prefix: 'keyless',
  name: settings.keyless.env,
  user_id: 'local',
  scopes: ['jobs:read', 'jobs:write', 'bots'],
  bot_id: null,
  max_live_jobs: null,
  max_jobs_per_day: null,
  max_requests_per_minute: null,
  created_at: new Date(0),
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;
/** The only accepted Host names: a foreign name may resolve to this machine (DNS rebinding). */
const ownNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Headers that browsers and proxies add: behind them is another party than the program that connected. */
const forwardedHeaders =
  /^(?:origin|sec-fetch-site|forwarded|via|cdn-loop|(?:x-real|x-client|x-cluster-client|true-client|fastly-client)-ip|(?:x-forwarded|x-original|x-envoy|cf|tailscale)(?:-.*)?)$/;

/** The local key for a request without one, if this process allows it. */
export function keyWithoutKey(request: FastifyRequest, { keyless }: Pick<Configuration, 'keyless'>): ApiKey {
  if (keyless !== 'loopback') throw new HoldfastError('key_missing');
  const why = whyForeign(request.raw);
  if (why === undefined) return localKey;
  throw new HoldfastError('key_missing', `${settings.keyless.env} does not cover a request ${why}`);
}

/** Why a request may not come directly from a program on this machine. */
function whyForeign({ headers, rawHeaders, httpVersion, socket }: FastifyRequest['raw']): string | undefined {
  const { remoteAddress = '', localAddress = '', localPort } = socket;
  if (!loopback.test(remoteAddress) || !loopback.test(localAddress)) return 'from another machine';
  const added = Object.keys(headers).find((name) => forwardedHeaders.test(name));
  if (added !== undefined) return `with the header ${added}`;
  // nginx by default uses HTTP/1.0 towards its upstream and adds no header; programs use 1.1.
  if (httpVersion !== '1.1') return `over HTTP/${httpVersion}`;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  const [, name = '', port = '80'] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(headers.host ?? '') ?? [];
  if (hosts.length !== 1 || !ownNames.has(name.toLowerCase()) || Number(port) !== localPort)
    return 'to another host';
  return undefined;
}

/** The configuration allows loopback names only; what they resolve to is known once the server listens. */
export function refuseOpenListener(
  addresses: readonly (AddressInfo | string)[],
  { keyless }: Pick<Configuration, 'keyless'>,
): void {
  if (keyless === 'off') return;
  const names = addresses.map((one) => (typeof one === 'string' ? one : one.address));
  const open = names.find((name) => !loopback.test(name));
  if (open === undefined) return;
  throw new HoldfastError(
    'config_invalid',
    `${settings.keyless.env} needs a loopback address, but ${settings.host.env} resolves to ${open}`,
  );
}
