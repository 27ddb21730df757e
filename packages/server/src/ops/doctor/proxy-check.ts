import { HoldfastError } from '@holdfast/contract';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { findProxy, listProxies, proxyUrls } from '../../governor/proxies/stored-proxies.ts';
import type { Check } from './finding.ts';

const shown = 3;

/** Proxies whose credentials this machine cannot read, unknown proxy names, and paused servers. */
export const checkProxies: Check = async ({ pool }, configuration) => {
  const check = 'proxies';
  const proxies = await listProxies(pool, { limit: 1_000 });
  const secrets = new SecretStore(new SecretKeys(configuration));
  for (const { name } of proxies) {
    const stored = await findProxy(pool, name);
    try {
      if (stored) await proxyUrls(pool, secrets, stored);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      return { check, state: 'problem', found: `${name}: ${error.message}`, advice: error.hint };
    }
  }
  const { rows } = await pool.query<{ id: string; proxy: string }>(
    `SELECT id, proxy FROM sources WHERE proxy IS NOT NULL AND proxy <> 'direct'
       AND NOT EXISTS (SELECT FROM proxies WHERE name = sources.proxy) ORDER BY id LIMIT 1`,
  );
  const [missing] = rows;
  if (missing)
    return {
      check,
      state: 'problem',
      found: `the source ${missing.id} uses the proxy ${missing.proxy}, which does not exist; its requests fail`,
      advice: `Create it with \`holdfast proxies add ${missing.proxy} URL\`, or remove it: \`holdfast sources set ${missing.id} --proxy none\`.`,
    };
  const servers = proxies.flatMap((proxy) => proxy.servers);
  const resting = servers.filter(({ state }) => state === 'resting');
  if (resting.length === 0)
    return { check, state: 'ok', found: servers.length === 0 ? 'none' : `${servers.length}, none rests` };
  const names = resting.slice(0, shown).map(({ last_failure, server }) => last_failure ?? server);
  return {
    check,
    state: 'warning',
    found: `${resting.length} of ${servers.length} rest after failures; ${names.join('; ')}`,
    advice: '`holdfast proxies check NAME` tests each server. Requests wait or use the others meanwhile.',
  };
};
