import {
  defaultRotationHours,
  defaultWebhookEvents,
  HoldfastError,
  type Webhook,
  type WebhookEvent,
  webhookEventNames,
  webhookEvents,
  webhookRequest,
} from '@holdfast/contract';
import { Command, Option } from 'commander';
import type { Queryable } from '../../base/database/statement.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../../queue/webhooks/edit-webhooks.ts';
import { findWebhook, listWebhooks, showWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { checkFlags } from '../check-flags.ts';
import { addListOptions, checkLimit } from '../list-options.ts';
import { wholeNumber } from '../option-values.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';
import { deliveryCommands } from './delivery-commands.ts';
import { printWebhook, printWebhooks } from './show-webhooks.ts';

interface JsonOption {
  json?: true;
}

const examples = `
A webhook sends events about the jobs of its owner to a URL. Deliveries are signed (standardwebhooks.com). Every \`holdfast up\`
and \`holdfast worker\` sends them, and retries for about a day if the receiver fails. Then a delivery is dead until you replay it.

  holdfast webhooks add https://example.com/hooks/holdfast --event job.completed job.failed
  holdfast webhooks test ID                           send a test event now, and see the answer
  holdfast webhooks deliveries ID --status dead       deliveries that failed, and why
  holdfast webhooks replay ID --dead                  send them again
  holdfast webhooks replay ID --since 2h              send the last two hours again
  holdfast webhooks rotate-secret ID                  new secret; the old one also signs for a day

Events:
${Object.entries(webhookEvents)
  .map(([name, meaning]) => `  ${name.padEnd(15)} ${meaning}`)
  .join('\n')}

See docs/webhooks.md.`;

const secretText = (secret: string) => `
  ${secret}

It is shown only once. Your receiver verifies signatures with it (docs/webhooks.md).`;

const add = new Command('add')
  .description('add a webhook; its secret is shown only once')
  .argument('<url>', 'URL that receives the events, with POST')
  .addOption(
    new Option(
      '--event <event...>',
      `events it receives (default: ${defaultWebhookEvents.join(' ')})`,
    ).choices(webhookEventNames),
  )
  .option('--description <text>', 'purpose')
  .option('--user <id>', "owner; events are about this owner's jobs", 'local')
  .option('--json', 'print JSON')
  .action(
    (
      url: string,
      flags: JsonOption & { event?: WebhookEvent[]; description?: string; user: string },
      command: Command,
    ) => {
      const request = {
        url,
        user_id: flags.user,
        ...(flags.event && { events: flags.event }),
        ...(flags.description !== undefined && { description: flags.description }),
      };
      checkFlags(webhookRequest, request, (field) => flagNames[field] ?? `--${field}`);
      return withDatabase(command, async ({ database: { pool }, configuration }) => {
        const webhook = await createWebhook(pool, request, configuration.allowPrivate);
        if (flags.json) return console.log(JSON.stringify(webhook));
        console.log(`added webhook ${webhook.id}: ${webhook.events.join(' ')}`);
        console.log(secretText(webhook.secret));
      });
    },
  );

/** Flags that are not named after their field. */
const flagNames: Readonly<Record<string, string>> = { url: 'the URL', events: '--event', user_id: '--user' };

interface ListFlags extends JsonOption {
  enabled?: true;
  disabled?: true;
  user?: string;
  limit: number;
  after?: string;
}

const list = addListOptions(
  new Command('list')
    .description('list webhooks, newest first')
    .option('--enabled', 'only enabled ones')
    .addOption(new Option('--disabled', 'only disabled ones').conflicts('enabled'))
    .option('--user <id>', 'only of this owner'),
  'webhook',
)
  .option('--json', 'print JSON')
  .action((flags: ListFlags, command: Command) => {
    const { json, user, limit, after } = flags;
    checkLimit(limit);
    return withDatabase(command, async ({ database: { pool } }) => {
      if (after !== undefined) await findWebhook(pool, after);
      const enabled = flags.enabled ?? (flags.disabled && false);
      const webhooks = await listWebhooks(pool, { enabled, limit, after }, user);
      if (json) console.log(JSON.stringify(webhooks));
      else printWebhooks(webhooks, enabled !== undefined || user !== undefined, limit);
    });
  });

const show = new Command('show')
  .description('show a webhook: its URL, its events and its deliveries')
  .argument('<id>', 'webhook id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const webhook = await showWebhook(pool, id);
      if (json) console.log(JSON.stringify(webhook));
      else printWebhook(webhook);
    }),
  );

const rotate = new Command('rotate-secret')
  .description(
    'replace the secret of a webhook; the new one is shown only once, the old one also signs for a while',
  )
  .argument('<id>', 'webhook id')
  .option(
    '--overlap-hours <number>',
    'how long the old one also signs (0 to 168); 0 if it has leaked',
    wholeNumber,
    defaultRotationHours,
  )
  .option('--json', 'print JSON')
  .action((id: string, { json, overlapHours }: JsonOption & { overlapHours: number }, command: Command) => {
    if (overlapHours < 0 || overlapHours > 168)
      throw new HoldfastError('bad_request', '--overlap-hours must be from 0 to 168');
    return withDatabase(command, async ({ database: { pool } }) => {
      const webhook = await rotateSecret(pool, id, overlapHours);
      if (json) return console.log(JSON.stringify(webhook));
      const { previous_secret_until: until } = webhook;
      console.log(
        `webhook ${id}: ${until ? `the old secret also signs until ${until.toISOString()}` : 'the old secret no longer signs'}`,
      );
      console.log(secretText(webhook.secret));
    });
  });

interface Action {
  readonly description: string;
  readonly done: string;
  act(db: Queryable, id: string): Promise<Webhook>;
}

const actions: Record<string, Action> = {
  enable: {
    description: 'enable webhooks; pending deliveries are sent at once',
    done: 'enabled',
    act: (db, id) => updateWebhook(db, id, { enabled: true }, []),
  },
  disable: {
    description: 'disable webhooks; pending deliveries are kept, new events are not recorded',
    done: 'disabled',
    act: (db, id) => updateWebhook(db, id, { enabled: false }, []),
  },
  remove: {
    description: 'delete webhooks; pending deliveries are dropped',
    done: 'removed',
    act: deleteWebhook,
  },
};

/** One command per action on any number of webhooks. */
const actionCommands = Object.entries(actions).map(([name, { description, done, act }]) =>
  new Command(name)
    .description(description)
    .argument('<id...>', 'webhook ids')
    .option('--json', 'print JSON, one line per webhook')
    .action((ids: string[], { json }: { json?: true }, self: Command) =>
      withDatabase(self, ({ database: { pool } }) =>
        actOnEach(ids, json ?? false, async (id) => ({
          changed: await act(pool, id),
          message: `webhook ${id}: ${done}`,
        })),
      ),
    ),
);

export const webhooksCommand = new Command('webhooks')
  .description('send events about jobs and prices to your own URLs')
  .addHelpText('after', examples);
for (const command of [add, list, show, ...actionCommands, ...deliveryCommands, rotate])
  webhooksCommand.addCommand(command);
