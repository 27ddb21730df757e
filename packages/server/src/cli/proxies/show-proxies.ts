import type { ApiProxy } from '@holdfast/contract';
import { asCalled } from '../../base/process/installation.ts';
import { formatAgo, formatMoment } from '../format-values.ts';
import { printFields, printTable } from '../print-table.ts';

type Server = ApiProxy['servers'][number];

export function printProxies(proxies: readonly ApiProxy[]): void {
  if (proxies.length === 0) {
    console.log(asCalled('No proxies yet. Create one: holdfast proxies add NAME URL'));
    return;
  }
  printServers(proxies.flatMap(({ servers }) => servers));
}

export function printProxy(proxy: ApiProxy): void {
  const { name, rotation, resolves_names, cooldown_seconds, servers, sources, created_at } = proxy;
  printFields([
    ['proxy', name],
    ['rotation', servers.length > 1 && rotation],
    [
      'names',
      resolves_names ? 'resolved by the proxy: addresses are not checked' : 'resolved and checked here',
    ],
    ['rest', `${cooldown_seconds} s after failures, longer each time`],
    ['sources', sources.join(' ')],
    ['created', created_at ? formatMoment(created_at) : 'set by HOLDFAST_PROXY'],
  ]);
  console.log('');
  printServers(servers);
}

function printServers(servers: readonly Server[]): void {
  printTable(
    ['SERVER', 'ADDRESS', 'STATE', 'REQUESTS', 'FAILED', 'LAST SUCCESS', 'LAST FAILURE'],
    servers.map((server) => [
      server.server,
      server.address,
      stateOf(server),
      server.requests,
      server.failures,
      server.last_success_at ? formatAgo(server.last_success_at) : 'never',
      server.last_failure ?? '',
    ]),
  );
}

function stateOf({ state, rests_until }: Server): string {
  return rests_until ? `rests until ${rests_until.toISOString()}` : state;
}
