import type { Policy } from '@holdfast/contract';
import { Command } from 'commander';
import type { Queryable } from '../base/database/statement.ts';
import { Notifier } from '../queue/jobs/notifications.ts';
import { deletePolicy, runPolicyNow, updatePolicy } from '../queue/policies/change-policy.ts';
import { answerEach } from './answer-each.ts';
import { withDatabase } from './with-database.ts';
import { nextRunOf } from './policies/show-policies.ts';

interface Action {
  readonly description: string;
  act(db: Queryable, id: string): Promise<Policy>;
  /** What became of it, in a few words. */
  tell(policy: Policy): string;
}

const actions: Record<string, Action> = {
  enable: {
    description: 'let policies run again; those that are due do so at once',
    act: (db, id) => updatePolicy(db, id, { enabled: true }),
    tell: (policy) => `enabled; next run: ${nextRunOf(policy)}`,
  },
  disable: {
    description: 'make no more jobs of policies; a live job runs to its end',
    act: (db, id) => updatePolicy(db, id, { enabled: false }),
    tell: ({ live_job_id }) =>
      live_job_id ? `disabled; its job ${live_job_id} runs to its end` : 'disabled',
  },
  run: {
    description: 'make policies due now, before their time',
    act: runPolicyNow,
    tell: ({ live_job_id }) =>
      live_job_id
        ? `its job ${live_job_id} is under way already`
        : 'due now; a scheduler makes its job at once',
  },
  delete: {
    description: 'delete policies; their jobs and results stay',
    act: deletePolicy,
    tell: ({ live_job_id }) => (live_job_id ? `deleted; its job ${live_job_id} runs to its end` : 'deleted'),
  },
};

/** One command per action; several ids may be given, and each is answered for itself. */
export const policyActionCommands = Object.entries(actions).map(([name, { description, act, tell }]) =>
  new Command(name)
    .description(description)
    .argument('<id...>', 'ids of the policies')
    .option('--json', 'print JSON, one line a policy')
    .action((ids: string[], { json }: { json?: true }, self: Command) =>
      withDatabase(self, async ({ database: { pool } }) => {
        const notifier = new Notifier(pool);
        await answerEach(ids, json ?? false, async (id) => {
          const policy = await act(pool, id);
          await notifier.notify('policy');
          return { changed: policy, told: `policy ${id}: ${tell(policy)}` };
        });
      }),
    ),
);
