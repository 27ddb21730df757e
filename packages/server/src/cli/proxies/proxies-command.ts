import { type ProxySettings, proxyName, proxySettings } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { inTransaction } from '../../base/database/statement.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { deleteProxy, listProxies, showProxy, writeProxy } from '../../governor/proxies/stored-proxies.ts';
import { checkFlags } from '../check-flags.ts';
import { readText } from '../option-values.ts';
import { type Session, withDatabase } from '../with-database.ts';
import { checkProxy } from './check-proxy.ts';
import { printProxies, printProxy } from './show-proxies.ts';

interface JsonOption {
  json?: true;
}

interface SettingOptions extends JsonOption {
  file?: string;
  rotation?: 'round_robin' | 'sticky';
  resolvesNames?: boolean;
  cooldown?: number;
}

const examples = `
A proxy is one server or a list of them, under a name. Its URLs are sealed and never shown again; jobs and sources use its name.

  holdfast proxies add eu http://user:password@proxy.example:3128
  holdfast proxies add pool --file urls.txt --rotation sticky     one URL a line; --file - reads standard input
  holdfast crawl https://example.com --proxy eu                   for one crawl
  holdfast sources set shop --proxy pool                          for the hosts of a source
  holdfast proxies check pool                                     fetch a page through each of its servers
  holdfast proxies list                                           their health

HOLDFAST_PROXY sends everything else through a proxy. See docs/guides/proxies.md.`;

const secretsOf = ({ configuration }: Session) => new SecretStore(new SecretKeys(configuration));

const list = new Command('list')
  .description('list proxies with the health of their servers')
  .option('--json', 'print JSON')
  .action(({ json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const proxies = await listProxies(pool, { limit: 1000 });
      if (json) console.log(JSON.stringify(proxies));
      else printProxies(proxies);
    }),
  );

const show = new Command('show')
  .description('show a proxy: its servers, their health, who uses it')
  .argument('<name>', 'its name')
  .option('--json', 'print JSON')
  .action((name: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const proxy = await showProxy(pool, name);
      if (json) console.log(JSON.stringify(proxy));
      else printProxy(proxy);
    }),
  );

const edit = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .argument('<name>', 'its name')
    .argument('[urls...]', 'http://, https://, socks5:// or socks5h:// URLs with user name and password')
    .option('--file <path>', 'file with the URLs, one a line; - reads standard input')
    .addOption(
      new Option('--rotation <how>', 'how requests take turns with its servers').choices([
        'round_robin',
        'sticky',
      ]),
    )
    .option('--resolves-names', 'the proxy resolves host names: Holdfast cannot check the addresses then')
    .option('--no-resolves-names', 'Holdfast resolves and checks them, and sends addresses')
    .option('--cooldown <seconds>', 'how long a server is paused after failures; longer each time', Number)
    .option('--json', 'print JSON')
    .action((proxy: string, urls: string[], options: SettingOptions, command: Command) =>
      withDatabase(command, async (session) => {
        const settings = await settingsOf(urls, options);
        checkFlags(proxyName, proxy, () => 'the name of the proxy');
        checkFlags(proxySettings, settings, flagNameOf);
        const { pool } = session.database;
        const edited = { ...settings, ...(settings.urls && { mayBePrivate: true }) };
        await inTransaction(pool, (db) => writeProxy(db, secretsOf(session), proxy, edited));
        const stored = await showProxy(pool, proxy);
        if (options.json) console.log(JSON.stringify(stored));
        else printProxy(stored);
      }),
    );

const add = edit('add', 'create a proxy, or replace the servers of one');
const set = edit('set', 'change settings of a proxy');

async function settingsOf(
  given: readonly string[],
  { file, rotation, resolvesNames, cooldown }: SettingOptions,
): Promise<ProxySettings> {
  const lines = file === undefined ? [] : (await readText(file === '-' ? '/dev/stdin' : file)).split(/\s+/);
  const urls = [...given, ...lines].filter((url) => url !== '');
  return {
    ...(urls.length > 0 && { urls }),
    ...(rotation && { rotation }),
    ...(resolvesNames !== undefined && { resolves_names: resolvesNames }),
    ...(cooldown !== undefined && { cooldown_seconds: cooldown }),
  };
}

function flagNameOf(field: string): string {
  const [name = ''] = field.split('[');
  const names: Record<string, string> = {
    urls: 'the URL of the proxy',
    cooldown_seconds: '--cooldown',
    resolves_names: '--resolves-names',
  };
  return names[name] ?? `--${name}`;
}

const remove = new Command('remove')
  .description('delete proxies; jobs that name them fail')
  .argument('<name...>', 'their names')
  .action((names: string[], _: object, command: Command) =>
    withDatabase(command, async (session) => {
      const { pool } = session.database;
      for (const name of names) {
        await inTransaction(pool, (db) => deleteProxy(db, secretsOf(session), name));
        console.log(`removed proxy ${name}`);
      }
    }),
  );

const check = new Command('check')
  .description('fetch a page through each server of a proxy, including paused ones')
  .argument('<name>', 'its name; default: HOLDFAST_PROXY')
  .option('--url <url>', 'what to fetch', 'https://example.com/')
  .option('--json', 'print JSON')
  .action((name: string, { url, json }: JsonOption & { url: string }, command: Command) =>
    withDatabase(command, async (session) => {
      const { pool } = session.database;
      const results = await checkProxy(pool, secretsOf(session), session.configuration, { name, url });
      if (json) console.log(JSON.stringify(results));
      else for (const { text } of results) console.log(text);
      if (results.some(({ ok }) => !ok)) process.exitCode = 1;
    }),
  );

export const proxiesCommand = new Command('proxies')
  .description('create, list and check proxies that requests go through')
  .addHelpText('after', examples);
for (const command of [list, show, add, set, remove, check]) proxiesCommand.addCommand(command);
