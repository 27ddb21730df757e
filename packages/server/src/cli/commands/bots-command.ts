import { type Bot, type BotChange, type NewBot, newBot } from '@holdfast/contract';
import { Command } from 'commander';
import { asCalled } from '../../base/process/installation.ts';
import { changeBot, createBot, listBots } from '../../shop/bots/bot-registry.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { formatAgo } from '../format-values.ts';
import { readExpiry, wholeNumber } from '../option-values.ts';
import { printTable } from '../print-table.ts';
import { shellQuoted } from '../terminal-text.ts';
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
A bot is your own program: it pulls visits over HTTP, makes them its own way, for example with a browser, and submits the
results. It gets the jobs of its owner whose executor is bot. Each job is locked until the bot submits or the lock expires.

  holdfast bots create bot-001 --domain shop.example         prints its token, only once
  holdfast jobs create visit https://shop.example/item --executor bot
  holdfast bots list                                         last seen, and how many jobs it did
  holdfast bots disable bot-001

See docs/guides/fleet-of-bots.md; examples/bots has complete programs.`;

const list = new Command('list')
  .description('list bots by owner and name')
  .option('--user <id>', 'only of this owner')
  .option('--json', 'print JSON')
  .action(({ json, user }: { json?: true; user?: string }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const bots = await listBots(database.pool, { owner: user, limit: 1000 });
      if (json) return console.log(JSON.stringify(bots));
      if (bots.length === 0)
        return console.log(asCalled('No bots yet. Create one: holdfast bots create NAME'));
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
  .description('create a bot and its token; the token is shown only once')
  .argument('<bot>', 'name')
  .option('--user <id>', "owner; the bot gets this owner's jobs", 'local')
  .option('--domain <domain...>', 'only jobs of these hosts and their subdomains')
  .option('--max-jobs-per-pull <number>', 'maximum jobs per pull (1 to 100)', wholeNumber)
  .option('--max-pulls-per-minute <number>', 'maximum pulls per minute', wholeNumber)
  .option('--lock-ttl-seconds <number>', 'default lock of its jobs', wholeNumber)
  .option('--expires <time>', 'expiry of its token: 90d, 12h or 2030-01-31T08:00:00Z', readExpiry)
  .option('--json', 'print JSON')
  .action((botId: string, options: CreateOptions, command: Command) => {
    const request = requestOf(botId, options);
    checkFlags(newBot, request, nameOf);
    return withDatabase(command, async ({ database }) => {
      const bot = await createBot(database.pool, request, options.user);
      if (options.json) return console.log(JSON.stringify(bot));
      const name = shellQuoted(bot.bot_id);
      console.log(`created bot ${name} of ${bot.user_id}\n\n  ${bot.token}\n`);
      console.log('It is shown only once. Send it as a header: Authorization: Bearer hf_…');
      if (name !== bot.bot_id)
        console.log(`Quote its name in a shell: ${name}. As bot_id, send it without the quotes.`);
    });
  });

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

function nameOf(field: string): string {
  if (field === 'bot_id') return 'the name of the bot';
  const [name = ''] = field.split('[');
  return { allowed_domains: '--domain', expires_at: '--expires', user_id: '--user' }[name] ?? flagOf(name);
}

const change = (name: string, description: string, wanted: BotChange, describe: (bot: Bot) => string) =>
  new Command(name)
    .description(description)
    .argument('<bot...>', 'bot names')
    .option('--user <id>', 'owner', 'local')
    .option('--json', 'print JSON, one line per bot')
    .action((names: string[], { json, user }: { json?: true; user: string }, command: Command) =>
      withDatabase(command, async ({ database }) => {
        for (const botId of names) {
          const bot = await changeBot(database.pool, user, botId, wanted);
          console.log(json ? JSON.stringify(bot) : describe(bot));
        }
      }),
    );

const disable = change(
  'disable',
  'disable bots; jobs they hold become ready again when their locks expire',
  { enabled: false },
  ({ bot_id, jobs_held }) => `disabled bot ${bot_id}${jobs_held > 0 ? `; it holds ${jobs_held} jobs` : ''}`,
);
const enable = change(
  'enable',
  'enable disabled bots',
  { enabled: true },
  ({ bot_id }) => `enabled bot ${bot_id}`,
);

export const botsCommand = new Command('bots')
  .description('create, list, disable and enable bots: your own programs that make visits')
  .addHelpText('after', examples);
for (const command of [list, create, disable, enable]) botsCommand.addCommand(command);
