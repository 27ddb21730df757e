import { Command } from 'commander';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { rotateSecrets, secretKeyUses } from '../../ops/secrets/rotate-secrets.ts';
import { countOf } from '../format-values.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

const after = `
Profiles, proxies and identities are sealed with a key that is not in the database: HOLDFAST_SECRET_KEY, or the file secret.key in the
data folder. Back it up. Without it they cannot be opened; store them again then.

  holdfast secrets status     which key seals how much, and whether this machine has it
  holdfast secrets rotate     seal everything with a new key (file), or with the first of HOLDFAST_SECRET_KEY

See docs/guides/sign-in.md#the-key.`;

const status = new Command('status')
  .description('show which keys seal the stored secrets, and whether this machine has them')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, configuration }) => {
      const keys = new SecretKeys(configuration);
      const uses = (await secretKeyUses(pool)).map((use) => ({
        ...use,
        is_here: keys.find(use.key_id) !== undefined,
      }));
      if (json) return console.log(JSON.stringify(uses));
      if (uses.length === 0) return console.log(`No secrets are stored. Their key will be in ${keys.place}.`);
      printTable(
        ['KEY', 'SECRETS', 'COOKIES OF CRAWLS', 'HERE'],
        uses.map((use) => [use.key_id, use.secrets, use.cookies, use.is_here ? keys.place : 'no']),
      );
    }),
  );

const rotate = new Command('rotate')
  .description('seal all stored secrets with a new key')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, configuration }) => {
      const keys = new SecretKeys(configuration);
      const { key, resealed } = await rotateSecrets(pool, keys);
      if (json) return console.log(JSON.stringify({ key_id: key.id, resealed }));
      console.log(`Sealed ${countOf(resealed, 'value')} with the key ${key.id} of ${keys.place}.`);
      if (keys.isFile)
        console.log('Back it up. The key before it stays in the file until the next rotation.');
      else console.log('Older keys of HOLDFAST_SECRET_KEY are no longer needed.');
    }),
  );

export const secretsCommand = new Command('secrets')
  .description('the key that seals profiles, proxies and identities')
  .addHelpText('after', after);
for (const command of [status, rotate]) secretsCommand.addCommand(command);
