import { type DeliveryStatus, defaultRotationHours, defaultWebhookEvents, deliveryStatuses, exitCodes, HoldfastError, type WebhookEvent, webhookEventNames, webhookEvents, webhookRequest } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { rotateSecret } from '../queue/webhooks/change-webhook.ts';
import { replayDelivery, sendTest } from '../queue/webhooks/deliver-now.ts';
import { listWebhooks } from '../queue/webhooks/find-webhooks.ts';
import { outcomeOf, printDeliveries, printWebhook, printWebhooks } from './show-webhooks.ts';
import { createWebhook } from '../../queue/webhooks/create-webhook.ts';
import { awaitOutcome } from '../../queue/webhooks/deliver-now.ts';
import { Deliverer } from '../../queue/webhooks/deliverer.ts';
import { findDelivery, listDeliveries } from '../../queue/webhooks/find-deliveries.ts';
import { findWebhook, showWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { listWebhooks } from '../../queue/webhooks/list-webhooks.ts';
import { replayDeliveries, replayDelivery } from '../../queue/webhooks/replay-deliveries.ts';
import { rotateSecret } from '../../queue/webhooks/rotate-secret.ts';
import { sendTest } from '../../queue/webhooks/send-test.ts';
import { checkFlags } from '../check-flags.ts';
import { checkLimit } from '../check-limit.ts';
import { wholePage } from '../list-options.ts';
import { readSince } from '../read-since.ts';
import { webhookActionCommands } from '../webhook-actions.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';

interface JsonOption {
  json?: true;
}

const examples = `
A webhook is told over HTTP what happens to the jobs of its owner. Deliveries are signed (standardwebhooks.com), sent by every
\`holdfast up\` and \`holdfast worker\`, tried again for about a day when the receiver does not take them, and then dead until you
replay them.

  holdfast webhooks add https://example.com/hooks/holdfast --event job.completed job.failed
  holdfast webhooks test ID                           send it something now, and see what it answers
  holdfast webhooks deliveries ID --status dead       what it did not take, and why
  holdfast webhooks replay ID --dead                  send that again
  holdfast webhooks replay ID --since 2h              send everything of the last two hours again
  holdfast webhooks rotate-secret ID                  another secret; the old one signs as well for a day

Events:
${Object.entries(webhookEvents)
  .map(([name, meaning]) => `  ${name.padEnd(15)} ${meaning}`)
  .join('\n')}

See docs/webhooks.md.`;

const secretText = (secret: string) => `
  ${secret}

It is shown this once. Your receiver checks signatures with it (docs/webhooks.md).`;

const add = new Command('add')
  .description('add a webhook; its secret is shown this once')
  .argument('<url>', 'where to send to, with POST')
  .addOption(
    new Option(
      '--event <event...>',
      `what it is told of (default: ${defaultWebhookEvents.join(' ')})`,
    ).choices(webhookEventNames),
  )
  .option('--description <text>', 'what it is for')
  .option('--user <id>', 'owner of the jobs that it is told of', 'local')
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

/** Where it is not the name of the field. */
const flagNames: Readonly<Record<string, string>> = { url: 'the URL', events: '--event', user_id: '--user' };

const list = new Command('list')
  .description('the newest webhooks first')
  .option('--enabled', 'only those that are told something')
  .addOption(new Option('--disabled', 'only those that are not').conflicts('enabled'))
  .option('--user <id>', 'only of this owner')
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <id>', 'go on behind this webhook: the last one of the page before')
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

interface ListFlags extends JsonOption {
  enabled?: true;
  disabled?: true;
  user?: string;
  limit: number;
  after?: string;
}

const show = new Command('show')
  .description('one webhook: where it leads, what it hears, and how it fares')
  .argument('<id>', 'id of the webhook')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const webhook = await showWebhook(pool, id);
      if (json) console.log(JSON.stringify(webhook));
      else printWebhook(webhook);
    }),
  );

const test = new Command('test')
  .description(
    'let a worker send a webhook.test now, and say what the receiver answers; without a worker, send it from here',
  )
  .argument('<id>', 'id of the webhook')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool }, configuration, log }) => {
      // What it would log is what is printed; whoever looks for a fault may have both.
      const quiet = log.isLevelEnabled('debug') ? log : log.child({}, { level: 'silent' });
      const deliverer = new Deliverer({ db: pool, log: quiet, configuration });
      try {
        const made = await sendTest(pool, id);
        if (!json)
          console.error(`sending; waiting up to ${configuration.webhookTimeoutSeconds} s for the receiver …`);
        const delivery = await awaitOutcome(pool, made, deliverer, configuration);
        console.log(json ? JSON.stringify(delivery) : `delivery ${delivery.id}: ${outcomeOf(delivery)}`);
        if (delivery.status !== 'delivered') process.exitCode = exitCodes.failure;
      } finally {
        await deliverer.stop();
      }
    }),
  );

const deliveries = new Command('deliveries')
  .description('what was sent to a webhook and what is to be sent, the newest first')
  .argument('<id>', 'id of the webhook')
  .argument('[delivery]', 'one of them, with what it tells')
  .addOption(new Option('--status <status>', 'only these').choices(deliveryStatuses))
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <id>', 'go on behind this delivery: the last one of the page before')
  .option('--json', 'print JSON')
  .action(
    (
      id: string,
      one: string | undefined,
      { json, ...filter }: JsonOption & { status?: DeliveryStatus; limit: number; after?: string },
      command: Command,
    ) => {
      checkLimit(filter.limit);
      return withDatabase(command, async ({ database: { pool } }) => {
        await findWebhook(pool, id);
        if (one !== undefined) {
          const { payload, ...delivery } = await findDelivery(pool, id, one);
          if (json) return console.log(JSON.stringify({ ...delivery, payload }));
          printDeliveries([delivery], 0);
          return console.log(`\n${JSON.stringify(payload, null, 2)}`);
        }
        if (filter.after !== undefined) await findDelivery(pool, id, filter.after);
        const { rows: found } = await wholePage(filter, (range) =>
          listDeliveries(pool, id, { ...filter, ...range }),
        );
        if (json) console.log(JSON.stringify(found));
        else printDeliveries(found, filter.limit);
      });
    },
  );

interface ReplayFlags extends JsonOption {
  delivery?: string[];
  dead?: true;
  since?: string;
}

const replay = new Command('replay')
  .description('send deliveries again, with the same webhook-id as the first time')
  .argument('<id>', 'id of the webhook')
  .option('--delivery <id...>', 'these, whatever became of them')
  .option('--dead', 'those that were given up')
  .option(
    '--since <time>',
    'all from then on, such as 2h, 3d or 2030-01-31T08:00:00Z; with --dead, the dead ones',
    readSince,
  )
  .option('--json', 'print JSON')
  .action((id: string, { delivery, dead, since, json }: ReplayFlags, command: Command) => {
    const chosen = dead || since !== undefined;
    if (Boolean(delivery) === Boolean(chosen))
      throw new HoldfastError('bad_request', 'say which ones: --delivery, or --dead, or --since', {
        hint: 'Add --dead to send again what was given up.',
      });
    return withDatabase(command, async ({ database: { pool } }) => {
      const { enabled } = await findWebhook(pool, id);
      let replayed = 0;
      if (delivery) {
        // One that has attempts behind it was left alone.
        for (const one of delivery) if ((await replayDelivery(pool, id, one)).attempts === 0) replayed++;
      } else {
        const filter = { status: dead ? ('dead' as const) : ('any' as const), ...(since && { since }) };
        replayed = (await replayDeliveries(pool, id, filter)).replayed;
      }
      if (json) return console.log(JSON.stringify({ replayed }));
      const underWay = delivery ? delivery.length - replayed : 0;
      const remarks = [
        underWay > 0 && `${underWay} being sent just now`,
        replayed === 0 && !delivery && (dead ? 'none is dead' : 'none was delivered or given up'),
        replayed === 0 && since && `since ${since}`,
        replayed > 0 && !enabled && 'when the webhook is enabled: it is disabled',
      ].filter((remark) => remark);
      console.log(
        `webhook ${id}: ${replayed} will be sent again${remarks.length > 0 ? `; ${remarks.join(' ')}` : ''}`,
      );
    });
  });

const rotate = new Command('rotate-secret')
  .description('give a webhook another secret, shown this once; for a while the old one signs as well')
  .argument('<id>', 'id of the webhook')
  .option(
    '--overlap-hours <number>',
    'how long the old one signs as well (0 to 168); 0 when it has leaked',
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
        `webhook ${id}: ${until ? `the old secret signs as well until ${until.toISOString()}` : 'the old secret signs no more'}`,
      );
      console.log(secretText(webhook.secret));
    });
  });

export const webhooksCommand = new Command('webhooks')
  .description('be told over HTTP what happens to jobs and prices')
  .addHelpText('after', examples);
for (const command of [add, list, show, ...webhookActionCommands, test, deliveries, replay, rotate])
  webhooksCommand.addCommand(command);
