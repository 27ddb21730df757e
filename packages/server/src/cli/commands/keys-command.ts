import { type ApiKey, HoldfastError, type KeyRole, type KeyScope, keyRequest, keyRoles, keyScopes } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { asCalled } from '../base/process/installation.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { createKey, listKeys, revokeKey } from '../../queue/access/keys.ts';
import { answerEach } from '../answer-each.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { formatAgo } from '../format-time.ts';
import { printTable } from '../print-table.ts';
import { readExpiry } from '../read-expiry.ts';
import { wholeNumber } from '../whole-number.ts';
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

/** Where it is not the name of the field. */
const otherFlags: Readonly<Record<string, string>> = { user_id: '--user', expires_at: '--expires' };

const roles = Object.entries(keyRoles).map(([role, scopes]) => `${role}: ${scopes.join(' ')}`);

const create = new Command('create')
  .description('make an API key; its secret is shown this once')
  .requiredOption('--name <text>', 'what it is for')
  .addOption(new Option('--scope <scope...>', 'what it allows').choices(keyScopes))
  .addOption(
    new Option('--role <role>', `scopes by name (${roles.join('; ')})`).choices(Object.keys(keyRoles)),
  )
  .option('--user <id>', 'owner of what is made with it', 'local')
  .option('--expires <time>', 'such as 90d, 12h or 2030-01-31T08:00:00Z', readExpiry)
  .option('--bot-id <id>', 'the one bot it speaks for; implies --role bot')
  .option('--max-live-jobs <number>', 'most jobs that are not finished at a time', wholeNumber)
  .option('--max-jobs-per-day <number>', 'most jobs made on a day (UTC)', wholeNumber)
  .option('--max-requests-per-minute <number>', 'most requests in a minute', wholeNumber)
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
      console.log('It is shown this once. Send it as a header: Authorization: Bearer hf_…');
    });
  });

const list = new Command('list')
  .description('all API keys, the newest first')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const keys = await listKeys(database.pool);
      if (json) return console.log(JSON.stringify(keys));
      if (keys.length === 0) {
        return console.log(asCalled('No keys yet. Make one: holdfast keys create --name me --role admin'));
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
  .description('end API keys for good; they stop working within two seconds')
  .argument('<id...>', 'ids of the keys')
  .option('--json', 'print JSON, one line a key')
  .action((ids: string[], { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      await answerEach(ids, json ?? false, async (id) => {
        const key = await revokeKey(database.pool, id);
        return { changed: key, told: `revoked key ${key.id} (${key.prefix}…, ${key.name})` };
      });
    }),
  );

export const keysCommand = new Command('keys').description('make, list and revoke API keys');
for (const command of [create, list, revoke]) keysCommand.addCommand(command);

function scopesOf({ scope = [], role, botId }: CreateOptions): KeyScope[] {
  const ofBot = botId === undefined ? [] : keyRoles.bot;
  const scopes = new Set<KeyScope>([...scope, ...(role ? keyRoles[role] : []), ...ofBot]);
  if (scopes.size > 0) return [...scopes];
  throw new HoldfastError('bad_request', 'a key needs a scope', {
    hint: `Name what it is for with --role ${Object.keys(keyRoles).join('|')}, or with --scope.`,
  });
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at) return 'revoked';
  if (!expires_at) return 'valid';
  return expires_at.getTime() <= Date.now() ? 'expired' : `expires ${formatAgo(expires_at)}`;
}
