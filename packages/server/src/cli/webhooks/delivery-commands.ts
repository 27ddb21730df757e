import { type DeliveryStatus, deliveryStatuses, exitCodes, HoldfastError } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { awaitOutcome, replayDelivery, sendTest } from '../../queue/webhooks/deliver-now.ts';
import { Deliverer } from '../../queue/webhooks/deliverer.ts';
import { findDelivery, listDeliveries } from '../../queue/webhooks/find-deliveries.ts';
import { findWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { replayDeliveries } from '../../queue/webhooks/replay-deliveries.ts';
import { addListOptions, checkLimit, wholePage } from '../list-options.ts';
import { readSince } from '../option-values.ts';
import { withDatabase } from '../with-database.ts';
import { outcomeOf, printDeliveries } from './show-webhooks.ts';

interface JsonOption {
  json?: true;
}

const test = new Command('test')
  .description(
    'send a webhook.test event and print the answer; if no worker is running, this command sends it',
  )
  .argument('<id>', 'webhook id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool }, configuration, log }) => {
      // The outcome is printed anyway; the log is for debugging.
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

const deliveries = addListOptions(
  new Command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<id>', 'webhook id')
    .argument('[delivery]', 'delivery id; shows this delivery with its payload')
    .addOption(new Option('--status <status>', 'only in this status').choices(deliveryStatuses)),
  'delivery',
)
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
  .description('send deliveries again, with their original webhook-id')
  .argument('<id>', 'webhook id')
  .option('--delivery <id...>', 'these, whatever their status')
  .option('--dead', 'dead ones')
  .option(
    '--since <time>',
    'all since then: 2h, 3d or 2030-01-31T08:00:00Z; with --dead, the dead ones',
    readSince,
  )
  .option('--json', 'print JSON')
  .action((id: string, { delivery, dead, since, json }: ReplayFlags, command: Command) => {
    const chosen = dead || since !== undefined;
    if (Boolean(delivery) === Boolean(chosen))
      throw new HoldfastError('bad_request', 'choose deliveries with --delivery, --dead or --since', {
        hint: 'Add --dead to send the dead ones again.',
      });
    return withDatabase(command, async ({ database: { pool } }) => {
      const { enabled } = await findWebhook(pool, id);
      let replayed = 0;
      if (delivery) {
        // A delivery with attempts is being sent, and was left alone.
        for (const one of delivery) if ((await replayDelivery(pool, id, one)).attempts === 0) replayed++;
      } else {
        const filter = { status: dead ? ('dead' as const) : ('any' as const), ...(since && { since }) };
        replayed = (await replayDeliveries(pool, id, filter)).replayed;
      }
      if (json) return console.log(JSON.stringify({ replayed }));
      const underWay = delivery ? delivery.length - replayed : 0;
      const remarks = [
        underWay > 0 && `${underWay} being sent now`,
        replayed === 0 && !delivery && (dead ? 'none is dead' : 'none has been delivered or is dead'),
        replayed === 0 && since && `since ${since}`,
        replayed > 0 && !enabled && 'once the webhook is enabled',
      ].filter((remark) => remark);
      console.log(
        `webhook ${id}: ${replayed} will be sent again${remarks.length > 0 ? `; ${remarks.join(' ')}` : ''}`,
      );
    });
  });

export const deliveryCommands = [test, deliveries, replay];
