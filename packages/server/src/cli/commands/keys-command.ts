import {
  type ApiKey,
  HoldfastError,
  type KeyRole,
  type KeyScope,
  keyRequest,
  keyRoles,
  keyScopes,
} from '@holdfast/contract';
import { Command, Option } from 'commander';
import { asCalled } from '../../base/process/installation.ts';
import { createKey, listKeys, revokeKey } from '../../queue/access/keys.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { formatAgo } from '../format-values.ts';
import { readExpiry, wholeNumber } from '../option-values.ts';
import { printTable } from '../print-table.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';

interface CreateOptions {
  json?: true;
  name: string;
  scope?: KeyScope[];
  role?: KeyRole;
  user: string;
  expires?: string;
  botId?: string;
  maxLiveJobs?: number;
  maxJobsPerDay?: number;
  maxRequestsPerMinute?: number;
}

/** Flags that are not named after their field. */
const otherFlags: Readonly<Record<string, string>> = { user_id: '--user', expires_at: '--expires' };

const roles = Object.entries(keyRoles).map(([role, scopes]) => `${role}: ${scopes.join(' ')}`);

const create = new Command('create')
  .description('create an API key; its secret is shown only once')
  .requiredOption('--name <text>', 'purpose')
  .addOption(new Option('--scope <scope...>', 'what it allows').choices(keyScopes))
  .addOption(
    new Option('--role <role>', `scopes by name (${roles.join('; ')})`).choices(Object.keys(keyRoles)),
  )
  .option('--user <id>', 'owner of what is created with it', 'local')
  .option('--expires <time>', 'expiry: 90d, 12h or 2030-01-31T08:00:00Z', readExpiry)
  .option('--bot-id <id>', 'limit it to this bot; implies --role bot')
  .option('--max-live-jobs <number>', 'maximum jobs that are not finished', wholeNumber)
  .option('--max-jobs-per-day <number>', 'maximum jobs created per day (UTC)', wholeNumber)
  .option('--max-requests-per-minute <number>', 'maximum requests per minute', wholeNumber)
  .option('--json', 'print JSON')
  .action((options: CreateOptions, command: Command) => {
    const { name, user, expires, botId, maxLiveJobs, maxJobsPerDay, maxRequestsPerMinute } = options;
    const request = {
      name,
      user_id: user,
      scopes: scopesOf(options),
      ...(expires !== undefined && { expires_at: expires }),
      ...(botId !== undefined && { bot_id: botId }),
      ...(maxLiveJobs !== undefined && { max_live_jobs: maxLiveJobs }),
      ...(maxJobsPerDay !== undefined && { max_jobs_per_day: maxJobsPerDay }),
      ...(maxRequestsPerMinute !== undefined && { max_requests_per_minute: maxRequestsPerMinute }),
    };
    checkFlags(keyRequest, request, (field) => otherFlags[field] ?? flagOf(field));
    return withDatabase(command, async ({ database }) => {
      const key = await createKey(database.pool, request);
      if (options.json) return console.log(JSON.stringify(key));
      console.log(`created key ${key.id} of ${key.user_id}: ${key.scopes.join(' ')}\n`);
      console.log(`  ${key.secret}\n`);
      console.log('It is shown only once. Send it as a header: Authorization: Bearer hf_…');
    });
  });

const list = new Command('list')
  .description('list API keys, newest first')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const keys = await listKeys(database.pool);
      if (json) return console.log(JSON.stringify(keys));
      if (keys.length === 0) {
        return console.log(asCalled('No keys yet. Create one: holdfast keys create --name me --role admin'));
      }
      printTable(
        ['ID', 'SECRET', 'NAME', 'OWNER', 'SCOPES', 'BOT', 'STATE', 'LAST USED'],
        keys.map((key) => [
          key.id,
          `${key.prefix}…`,
          key.name,
          key.user_id,
          key.scopes.join(' '),
          key.bot_id ?? '',
          stateOf(key),
          key.last_used_at ? formatAgo(key.last_used_at) : 'never',
        ]),
      );
    }),
  );

const revoke = new Command('revoke')
  .description('revoke API keys; they stop working within two seconds')
  .argument('<id...>', 'key ids')
  .option('--json', 'print JSON, one line per key')
  .action((ids: string[], { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      await actOnEach(ids, json ?? false, async (id) => {
        const key = await revokeKey(database.pool, id);
        return { changed: key, message: `revoked key ${key.id} (${key.prefix}…, ${key.name})` };
      });
    }),
  );

export const keysCommand = new Command('keys').description('create, list and revoke API keys');
for (const command of [create, list, revoke]) keysCommand.addCommand(command);

function scopesOf({ scope = [], role, botId }: CreateOptions): KeyScope[] {
  const ofBot = botId === undefined ? [] : keyRoles.bot;
  const scopes = new Set<KeyScope>([...scope, ...(role ? keyRoles[role] : []), ...ofBot]);
  if (scopes.size > 0) return [...scopes];
  throw new HoldfastError('bad_request', 'a key needs a scope', {
    hint: `Choose scopes with --role ${Object.keys(keyRoles).join('|')}, or with --scope.`,
  });
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at) return 'revoked';
  if (!expires_at) return 'valid';
  return expires_at.getTime() <= Date.now() ? 'expired' : `expires ${formatAgo(expires_at)}`;
}
