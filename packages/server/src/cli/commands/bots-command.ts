import { type Bot, type BotChange, type NewBot, newBot } from '@holdfast/contract';
import { Command } from 'commander';
import { asCalled } from '../base/process/installation.ts';
import { changeBot, createBot, listBots } from '../shop/bots/bot-registry.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { changeBot } from '../../shop/bots/change-bot.ts';
import { createBot } from '../../shop/bots/create-bot.ts';
import { listBots } from '../../shop/bots/list-bots.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { formatAgo } from '../format-time.ts';
import { printTable } from '../print-table.ts';
import { readExpiry } from '../read-expiry.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';

interface CreateOptions {
  json?: true;
  user: string;
  domain?: string[];
  maxJobsPerPull?: number;
  maxPullsPerMinute?: number;
  lockTtlSeconds?: number;
  expires?: string;
}

const examples = `
A bot is a program of yours that pulls visits over HTTP, makes them in its own way, such as with a browser, and submits what
it found. It gets jobs with the executor bot, those of its owner alone, each locked for it until it submits or the lock ends.

  holdfast bots create bot-001 --domain shop.example         and shows its token, this once
  holdfast jobs create visit https://shop.example/item --executor bot
  holdfast bots list                                         when each was last seen, and what it did
  holdfast bots disable bot-001

See docs/guides/fleet-of-bots.md; examples/bots has complete ones.`;

const list = new Command('list')
  .description('all bots, by owner and name')
  .option('--user <id>', 'only those of this owner')
  .option('--json', 'print JSON')
  .action(({ json, user }: { json?: true; user?: string }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const bots = await listBots(database.pool, { owner: user, limit: 1000 });
      if (json) return console.log(JSON.stringify(bots));
      if (bots.length === 0) return console.log(asCalled('No bots yet. Make one: holdfast bots create NAME'));
      printTable(
        ['BOT', 'OWNER', 'STATE', 'LAST SEEN', 'HOLDS', 'PULLS', 'JOBS', 'DONE', 'FAILED', 'DOMAINS'],
        bots.map((bot) => [
          bot.bot_id,
          bot.user_id,
          bot.enabled ? 'enabled' : 'disabled',
          bot.last_seen_at ? formatAgo(bot.last_seen_at) : 'never',
          bot.jobs_held,
          bot.pulls,
          bot.jobs_pulled,
          bot.jobs_succeeded,
          bot.jobs_failed,
          bot.allowed_domains?.join(' ') ?? 'all',
        ]),
      );
    }),
  );

const create = new Command('create')
  .description('make a bot, and a token that speaks for it alone; the token is shown this once')
  .argument('<bot>', 'its name')
  .option('--user <id>', 'owner: whose jobs it gets', 'local')
  .option('--domain <domain...>', 'only jobs of these hosts and of those below them')
  .option('--max-jobs-per-pull <number>', 'most jobs it gets at once (1 to 100)', wholeNumber)
  .option('--max-pulls-per-minute <number>', 'how often it may pull', wholeNumber)
  .option('--lock-ttl-seconds <number>', 'lock of its jobs that have none of their own', wholeNumber)
  .option('--expires <time>', 'of its token: 90d, 12h or 2030-01-31T08:00:00Z', readExpiry)
  .option('--json', 'print JSON')
  .action((botId: string, options: CreateOptions, command: Command) => {
    const request = requestOf(botId, options);
    checkFlags(newBot, request, nameOf);
    return withDatabase(command, async ({ database }) => {
      const bot = await createBot(database.pool, request, options.user);
      if (options.json) return console.log(JSON.stringify(bot));
      const name = nameAsTyped(bot.bot_id);
      console.log(`created bot ${name} of ${bot.user_id}\n\n  ${bot.token}\n`);
      console.log('It is shown this once. Send it as a header: Authorization: Bearer hf_…');
      if (name !== bot.bot_id)
        console.log(`Its name is all of ${name}: in a shell it needs the quotes, as bot_id it goes without.`);
    });
  });

/** With the quotes that a shell wants. */
function nameAsTyped(name: string): string {
  return /^[\w.:@-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

function requestOf(bot_id: string, options: CreateOptions): NewBot {
  const { domain, maxJobsPerPull, maxPullsPerMinute, lockTtlSeconds, expires } = options;
  return {
    bot_id,
    ...(domain && { allowed_domains: domain }),
    ...(maxJobsPerPull !== undefined && { max_jobs_per_pull: maxJobsPerPull }),
    ...(maxPullsPerMinute !== undefined && { max_pulls_per_minute: maxPullsPerMinute }),
    ...(lockTtlSeconds !== undefined && { lock_ttl_seconds: lockTtlSeconds }),
    ...(expires !== undefined && { expires_at: expires }),
  };
}

/** As it stands on the command line. */
function nameOf(field: string): string {
  if (field === 'bot_id') return 'the name of the bot';
  const [name = ''] = field.split('[');
  return { allowed_domains: '--domain', expires_at: '--expires', user_id: '--user' }[name] ?? flagOf(name);
}

const change = (name: string, description: string, wanted: BotChange, told: (bot: Bot) => string) =>
  new Command(name)
    .description(description)
    .argument('<bot...>', 'their names')
    .option('--user <id>', 'their owner', 'local')
    .option('--json', 'print JSON, one line a bot')
    .action((names: string[], { json, user }: { json?: true; user: string }, command: Command) =>
      withDatabase(command, async ({ database }) => {
        for (const botId of names) {
          const bot = await changeBot(database.pool, user, botId, wanted);
          console.log(json ? JSON.stringify(bot) : told(bot));
        }
      }),
    );

const disable = change(
  'disable',
  'refuse bots; jobs that they hold come back when their locks expire',
  { enabled: false },
  ({ bot_id, jobs_held }) => `disabled bot ${bot_id}${jobs_held > 0 ? `; it holds ${jobs_held} jobs` : ''}`,
);
const enable = change(
  'enable',
  'let disabled bots in again',
  { enabled: true },
  ({ bot_id }) => `enabled bot ${bot_id}`,
);

export const botsCommand = new Command('bots')
  .description('make, list, disable and enable bots: your own programs that make visits')
  .addHelpText('after', examples);
for (const command of [list, create, disable, enable]) botsCommand.addCommand(command);
