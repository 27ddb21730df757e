import {
  apiProxy,
  HoldfastError,
  proxyHosts,
  proxyList,
  proxyListQuery,
  proxyParams,
  proxySettings,
} from '@holdfast/contract';
import { inTransaction } from '../../base/database/statement.ts';
import { deleteProxy, listProxies, showProxy, writeProxy } from '../../governor/proxies/stored-proxies.ts';
import { AddressGuard, isPublicHost } from '../../web/fetch/address-guard.ts';
import { pageOf } from '../list-page.ts';
import type { RouteGroup } from '../route-group.ts';

const operate = { access: { scope: 'operate' } } as const;
const tags = ['proxies'];

/** Operators manage proxies; jobs may use them by name. */
export const proxyRoutes: RouteGroup = (server, { pool, configuration, secrets }) => {
  const guard = new AddressGuard(configuration.allowPrivate);

  server.get(
    '/',
    {
      config: operate,
      schema: {
        operationId: 'listProxies',
        tags,
        summary: 'List proxies with the health of their servers',
        description: 'The proxies of HOLDFAST_PROXY are listed as `default` once they have been used.',
        querystring: proxyListQuery,
        response: { 200: proxyList },
      },
    },
    async ({ query: { limit, cursor } }) =>
      pageOf(await listProxies(pool, { after: cursor, limit: limit + 1 }), limit, ({ name }) => name),
  );

  server.get(
    '/:name',
    {
      config: operate,
      schema: {
        operationId: 'showProxy',
        tags,
        summary: 'Show a proxy with the health of its servers',
        params: proxyParams,
        response: { 200: apiProxy },
      },
    },
    ({ params: { name } }) => showProxy(pool, name),
  );

  server.put(
    '/:name',
    {
      config: operate,
      schema: {
        operationId: 'putProxy',
        tags,
        summary: 'Create a proxy, or change settings of one; URLs with credentials are never shown again',
        params: proxyParams,
        body: proxySettings,
        response: { 200: apiProxy },
      },
    },
    async ({ params: { name }, body }) => {
      for (const url of proxyHosts(body.urls ?? []))
        if (!guard.allows(url.origin) && !isPublicHost(url)) throw privateProxy();
      // Also revokes what the command line allowed for the previous servers.
      const mayBePrivate = body.urls && false;
      await inTransaction(pool, (db) => writeProxy(db, secrets, name, { ...body, mayBePrivate }));
      return await showProxy(pool, name);
    },
  );

  server.delete(
    '/:name',
    {
      config: operate,
      schema: {
        operationId: 'deleteProxy',
        tags,
        summary: 'Delete a proxy; jobs that name it fail',
        params: proxyParams,
        response: { 200: apiProxy },
      },
    },
    async ({ params: { name } }) => {
      const deleted = await showProxy(pool, name);
      await inTransaction(pool, (db) => deleteProxy(db, secrets, name));
      return deleted;
    },
  );
};

function privateProxy(): HoldfastError {
  return new HoldfastError('address_forbidden', 'the proxy is in a private network', {
    hint: 'Create it with `holdfast proxies add`, or allow its address with HOLDFAST_ALLOW_PRIVATE=http://HOST:PORT.',
  });
}
