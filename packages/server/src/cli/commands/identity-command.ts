import { canonicalOrigin, HoldfastError, parseUrl, settings } from '@holdfast/contract';
import { Command } from 'commander';
import type pg from 'pg';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import {
  createIdentity,
  leadSeconds,
  publishedKeys,
  removeIdentity,
  rotateIdentity,
} from '../../governor/identity/identity-keys.ts';
import { formatMoment } from '../format-values.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

const directory = '/.well-known/http-message-signatures-directory';
const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

const create = new Command('create')
  .description('create a signing key; from now on requests of crawls and visits are signed')
  .option(
    '--url <origin>',
    `public https address of the API, where sites find the key (default: ${settings.publicUrl.env})`,
  )
  .action(({ url }: { url?: string }, command: Command) =>
    withDatabase(command, async ({ database, configuration }) => {
      const agent = agentOf(url ?? configuration.publicUrl);
      await createIdentity(database.pool, new SecretStore(new SecretKeys(configuration)), agent);
      console.log(`Requests are signed as ${agent}. Sites verify them with ${agent}${directory}:`);
      console.log('make sure that this address reaches the API (`holdfast up` or `holdfast api`).\n');
      await printKeys(database.pool);
    }),
  );

const show = new Command('show')
  .description('show the keys that sites can see')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const keys = await publishedKeys(database.pool);
      if (json) console.log(JSON.stringify(keys.map(({ secret_id: _, starts_in_ms: __, ...key }) => key)));
      else if (keys.length > 0) await printKeys(database.pool);
      else console.log('No identity: requests are not signed. Create one with `holdfast identity create`.');
    }),
  );

const rotate = new Command('rotate')
  .description(
    `replace the key: the new one signs after ${leadSeconds / 3600} hour, the old one stays published for a day`,
  )
  .option('--now', 'sign with the new key at once and withdraw the old one, if others may know it')
  .action(({ now }: { now?: true }, command: Command) =>
    withDatabase(command, async ({ database, configuration }) => {
      const store = new SecretStore(new SecretKeys(configuration));
      await rotateIdentity(database.pool, store, { atOnce: now === true });
      if (now) console.log('Runs that are under way take the new key within five minutes.\n');
      await printKeys(database.pool);
    }),
  );

const remove = new Command('remove')
  .description('delete all keys; requests are not signed any more')
  .action((_options: object, command: Command) =>
    withDatabase(command, async ({ database, configuration }) => {
      await removeIdentity(database.pool, new SecretStore(new SecretKeys(configuration)));
      console.log('Requests are not signed any more.');
    }),
  );

export const identityCommand = new Command('identity')
  .description('sign requests, so that sites know who crawls them (Web Bot Auth)')
  .addCommand(create)
  .addCommand(show)
  .addCommand(rotate)
  .addCommand(remove);

async function printKeys(db: pg.Pool): Promise<void> {
  printTable(
    ['key', 'state', 'signs from', 'published until', 'agent'],
    (await publishedKeys(db)).map(({ id, status, active_from, retired_at, agent }) => [
      id,
      status,
      formatMoment(active_from),
      retired_at === null ? '' : formatMoment(retired_at),
      agent,
    ]),
  );
}

function agentOf(given: string | undefined): string {
  const hint = `Give the address at which sites reach the API: --url https://crawler.example.com`;
  if (given === undefined)
    throw new HoldfastError('bad_request', 'the public address is not known', { hint });
  const origin = parseUrl(given)?.pathname === '/' ? canonicalOrigin(given) : undefined;
  if (!origin || !(origin.startsWith('https://') || loopback.test(origin)))
    throw new HoldfastError('bad_request', `${given} is no https origin without a path`, { hint });
  return origin;
}
