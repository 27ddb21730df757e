import { type ProfileRequest, profileRequest } from '@holdfast/contract';
import { Command } from 'commander';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import {
  createProfile,
  deleteProfile,
  findProfile,
  listProfiles,
  type Profile,
  replaceProfile,
} from '../../queue/profiles/profiles.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { collect } from '../option-values.ts';
import { printTable } from '../print-table.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';
import { addSignInOptions, type ProfileFlags, readProfile } from './profile-flags.ts';

interface CommonFlags {
  user: string;
  json?: true;
}

const examples = `
A profile holds headers and cookies of somebody who is signed in, for the origins that it names and no others. Its values are
sealed with a key outside the database, and are never shown again. Crawls, visits, policies and adapters of its owner use it by name.

  holdfast profiles add intranet --origin https://intranet.example.com --cookies cookies.txt
  holdfast profiles add api --origin https://api.example.com --bearer env:API_TOKEN
  holdfast crawl https://intranet.example.com --profile intranet
  holdfast profiles set intranet --origin https://intranet.example.com --storage-state state.json

See docs/guides/sign-in.md.`;

const flagNames: Readonly<Record<string, string>> = {
  name: 'the name',
  origins: '--origin',
  headers: '--header',
  basic_auth: '--basic-auth',
  bearer_token: '--bearer',
  cookies_txt: '--cookies',
  storage_state: '--storage-state',
  '': 'the profile',
};

function addValueOptions(command: Command): Command {
  return addSignInOptions(
    command
      .argument('<name>', 'name of the profile')
      .option(
        '--origin <origin>',
        'origin that it is sent to (repeatable), such as https://*.example.com',
        collect,
      )
      .option('--cookies <file>', 'cookies.txt in Netscape format')
      .option('--storage-state <file>', 'storageState of Playwright, as JSON; only its cookies are used')
      .option('--proxy <name>', 'proxy for its jobs, unless they name one; see holdfast proxies'),
  )
    .option('--user <id>', 'owner', 'local')
    .option('--json', 'print JSON');
}

/** `headers.X-Key` is one of --header. */
function nameOf(field: string): string {
  const [name = ''] = field.split(/[.[]/);
  return flagNames[name] ?? flagOf(name);
}

function requestOf(name: string, flags: ProfileFlags & CommonFlags): ProfileRequest & { user_id: string } {
  const request = readProfile(name, flags);
  checkFlags(profileRequest, request, nameOf);
  return { ...(request as ProfileRequest), user_id: flags.user };
}

const add = addValueOptions(new Command('add').description('store a sign-in under a name')).action(
  (name: string, flags: ProfileFlags & CommonFlags, command: Command) => {
    const request = requestOf(name, flags);
    return withDatabase(command, async ({ database: { pool }, configuration }) => {
      const store = new SecretStore(new SecretKeys(configuration));
      const profile = await createProfile(pool, store, request);
      if (flags.json) return console.log(JSON.stringify(profile));
      console.log(`added profile ${name}: ${describe(profile)}`);
      console.log(
        `Sealed with the key in ${store.keys.place}. Keep a copy of it: without it, the profile is lost.`,
      );
    });
  },
);

const set = addValueOptions(
  new Command('set').description('replace everything that a profile holds; running jobs use it at once'),
).action((name: string, flags: ProfileFlags & CommonFlags, command: Command) => {
  const request = requestOf(name, flags);
  return withDatabase(command, async ({ database: { pool }, configuration }) => {
    const profile = await replaceProfile(pool, new SecretStore(new SecretKeys(configuration)), request);
    if (flags.json) console.log(JSON.stringify(profile));
    else console.log(`replaced profile ${name}: ${describe(profile)}`);
  });
});

const list = new Command('list')
  .description('list profiles')
  .option('--user <id>', 'owner', 'local')
  .option('--json', 'print JSON')
  .action(({ user, json }: CommonFlags, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const profiles = await listProfiles(pool, user);
      if (json) return console.log(JSON.stringify(profiles));
      if (profiles.length === 0)
        return console.log('No profiles. Store one: holdfast profiles add NAME --help');
      printTable(
        ['name', 'origins', 'holds', 'last used'],
        profiles.map((profile) => [
          profile.name ?? '',
          profile.origins.join(' '),
          holdings(profile),
          profile.last_used_at?.toISOString() ?? 'never',
        ]),
      );
    }),
  );

const show = new Command('show')
  .description('show what a profile holds, without the values')
  .argument('<name>', 'name of the profile')
  .option('--user <id>', 'owner', 'local')
  .option('--json', 'print JSON')
  .action((name: string, { user, json }: CommonFlags, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const profile = await findProfile(pool, user, name);
      if (json) return console.log(JSON.stringify(profile));
      console.log(`${name}: ${describe(profile)}`);
      if (profile.proxy) console.log(`  proxy ${profile.proxy}`);
      for (const header of profile.headers) console.log(`  header ${header}`);
      for (const { name: cookie, domain, expires } of profile.cookies)
        console.log(
          `  cookie ${cookie} of ${domain}${expires === null ? '' : `, until ${new Date(expires * 1000).toISOString()}`}`,
        );
    }),
  );

const remove = new Command('remove')
  .description('delete profiles with their values; jobs that use them fail')
  .argument('<name...>', 'names of profiles')
  .option('--user <id>', 'owner', 'local')
  .option('--json', 'print JSON, one line per profile')
  .action((names: string[], { user, json }: CommonFlags, command: Command) =>
    withDatabase(command, ({ database: { pool }, configuration }) =>
      actOnEach(names, json ?? false, async (name) => ({
        changed: await deleteProfile(pool, new SecretStore(new SecretKeys(configuration)), user, name),
        message: `profile ${name}: removed`,
      })),
    ),
  );

function describe(profile: Profile): string {
  return `${holdings(profile)}, for ${profile.origins.join(', ')}`;
}

function holdings({ auth, headers, cookies }: Profile): string {
  const count = (number: number, what: string) =>
    number > 0 ? `${number} ${what}${number > 1 ? 's' : ''}` : '';
  const parts = [
    auth === 'basic' ? 'basic authentication' : auth === 'bearer' ? 'a bearer token' : '',
    count(headers.length, 'header'),
    count(cookies.length, 'cookie'),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'nothing';
}

export const profilesCommand = new Command('profiles')
  .description('sign-ins for crawls: headers and cookies under a name')
  .addHelpText('after', examples);
for (const command of [add, set, list, show, remove]) profilesCommand.addCommand(command);
