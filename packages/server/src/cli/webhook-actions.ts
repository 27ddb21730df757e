import type { Webhook } from '@holdfast/contract';
import { Command } from 'commander';
import type { Queryable } from '../base/database/statement.ts';
import { deleteWebhook, updateWebhook } from '../queue/webhooks/change-webhook.ts';
import { answerEach } from './answer-each.ts';
import { withDatabase } from './with-database.ts';

interface Action {
  readonly description: string;
  readonly done: string;
  act(db: Queryable, id: string): Promise<Webhook>;
}

const actions: Record<string, Action> = {
  enable: {
    description: 'let webhooks hear again; what waits is sent at once',
    done: 'enabled',
    act: (db, id) => updateWebhook(db, id, { enabled: true }, []),
  },
  disable: {
    description: 'send nothing more to webhooks; what waits is kept, what happens meanwhile is not told',
    done: 'disabled',
    act: (db, id) => updateWebhook(db, id, { enabled: false }, []),
  },
  remove: {
    description: 'delete webhooks; what waits is not sent',
    done: 'removed',
    act: deleteWebhook,
  },
};

/** One command per action; several ids may be given, and each is answered for itself. */
export const webhookActionCommands = Object.entries(actions).map(([name, { description, done, act }]) =>
  new Command(name)
    .description(description)
    .argument('<id...>', 'ids of the webhooks')
    .option('--json', 'print JSON, one line a webhook')
    .action((ids: string[], { json }: { json?: true }, self: Command) =>
      withDatabase(self, ({ database: { pool } }) =>
        answerEach(ids, json ?? false, async (id) => ({
          changed: await act(pool, id),
          told: `webhook ${id}: ${done}`,
        })),
      ),
    ),
);
