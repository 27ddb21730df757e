import {
  type Job,
  type Policy,
  type PolicyFilter,
  type PolicyKind,
  policyChange,
  policyFilter,
  policyKinds,
  policyRequest,
} from '@holdfast/contract';
import { Argument, Command, Option } from 'commander';
import type { Queryable } from '../../base/database/statement.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { searchJobs } from '../../queue/jobs/search-jobs.ts';
import { deletePolicy, runPolicyNow, updatePolicy } from '../../queue/policies/change-policy.ts';
import { createPolicy } from '../../queue/policies/create-policy.ts';
import { findPolicy, listPolicies } from '../../queue/policies/find-policies.ts';
import { checkFlags } from '../check-flags.ts';
import { addListOptions, wholePage } from '../list-options.ts';
import { wholeNumber } from '../option-values.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';
import {
  addPolicyOptions,
  checkPolicyOptions,
  type PolicyFlags,
  policyFlagOf,
  readPolicy,
} from './policy-options.ts';
import { nextRunOf, printPolicies, printPolicy } from './show-policies.ts';

interface JsonOption {
  json?: true;
}

const examples = `
A policy creates jobs on a schedule. Every \`holdfast up\` and \`holdfast worker\` runs the scheduler. After a success a policy
runs again at its frequency, after a failure in 5, 10, 20, 40 … minutes.

  holdfast policies create crawl https://example.com --frequency 7d
  holdfast policies create visit https://shop.example/item --frequency 6h --executor bot
  holdfast policies list --enabled                    enabled policies and their next runs
  holdfast policies update ID --frequency 12h         change one setting
  holdfast policies run ID                            run it now
  holdfast jobs show JOB                              its live job, named by \`policies show\`

See docs/policies.md.`;

const create = addPolicyOptions(
  new Command('create')
    .description('create a policy; its first job starts at once, unless you set a time')
    .addArgument(new Argument('<kind>', 'kind of job').choices(policyKinds))
    .argument('<url>', 'site to crawl, or page to visit'),
)
  .option('--disabled', 'create no jobs until it is enabled')
  .option('--user <id>', 'owner', 'local')
  .option('--json', 'print JSON')
  .action(
    (
      kind: PolicyKind,
      url: string,
      flags: PolicyFlags & JsonOption & { disabled?: true; user: string },
      command,
    ) => {
      const request = { ...readPolicy(flags), kind, url, enabled: !flags.disabled, user_id: flags.user };
      checkFlags(policyRequest, request, policyFlagOf);
      checkPolicyOptions(kind, request.options ?? {}, 'of --options');
      return withDatabase(command, async ({ database: { pool } }) => {
        const policy = await createPolicy(pool, request);
        await new Notifier(pool).notify('policy');
        console.log(
          flags.json ? JSON.stringify(policy) : `created policy ${policy.id}; next run: ${nextRunOf(policy)}`,
        );
      });
    },
  );

const update = addPolicyOptions(
  new Command('update').description('change settings of a policy').argument('<id>', 'policy id'),
)
  .option('--url <url>', 'site to crawl, or page to visit')
  .option('--json', 'print JSON')
  .action((id: string, flags: PolicyFlags & JsonOption, command: Command) => {
    const change = checkFlags(policyChange, readPolicy(flags), policyFlagOf);
    return withDatabase(command, async ({ database: { pool } }) => {
      if (change.options)
        checkPolicyOptions((await findPolicy(pool, id)).kind, change.options, 'of --options');
      const policy = await updatePolicy(pool, id, change);
      await new Notifier(pool).notify('policy');
      console.log(
        flags.json ? JSON.stringify(policy) : `policy ${id}: changed; next run: ${nextRunOf(policy)}`,
      );
    });
  });

interface ListFlags extends JsonOption {
  enabled?: true;
  disabled?: true;
  kind?: PolicyKind;
  priority?: number;
  search?: string;
  createdAfter?: string;
  createdBefore?: string;
  nextRunAfter?: string;
  nextRunBefore?: string;
  user?: string;
  limit: number;
  after?: string;
}

const list = addListOptions(
  new Command('list')
    .description('list policies, newest first')
    .option('--enabled', 'only enabled ones')
    .addOption(new Option('--disabled', 'only disabled ones').conflicts('enabled'))
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(policyKinds))
    .option('--priority <number>', 'only with this priority', wholeNumber)
    .option('--search <text>', 'only with this text in their URL')
    .option('--created-after <time>', 'such as 2030-01-31T08:00:00Z')
    .option('--created-before <time>')
    .option('--next-run-after <time>')
    .option('--next-run-before <time>')
    .option('--user <id>', 'only of this owner'),
  'policy',
)
  .option('--json', 'print JSON')
  .action((flags: ListFlags, command: Command) => {
    const filter = filterOf(flags);
    return withDatabase(command, async ({ database }) => {
      const { rows: policies } = await wholePage({ limit: flags.limit, after: flags.after }, (range) =>
        listPolicies(database.pool, { ...filter, ...range }, flags.user),
      );
      if (flags.json) console.log(JSON.stringify(policies));
      else printPolicies(policies, filter);
    });
  });

function filterOf({ enabled, disabled, json: _, user: __, ...flags }: ListFlags): PolicyFilter {
  const filter = {
    enabled: enabled ?? (disabled && false),
    kind: flags.kind,
    priority: flags.priority,
    search: flags.search,
    created_after: flags.createdAfter,
    created_before: flags.createdBefore,
    next_run_after: flags.nextRunAfter,
    next_run_before: flags.nextRunBefore,
    limit: flags.limit,
    after: flags.after,
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return checkFlags(policyFilter, Object.fromEntries(given));
}

const show = new Command('show')
  .description('show a policy: its settings, its last runs and its next one')
  .argument('<id>', 'policy id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const policy = await findPolicy(database.pool, id);
      if (json) console.log(JSON.stringify(policy));
      else printPolicy(policy, await lastJobOf(database.pool, policy.id));
    }),
  );

async function lastJobOf(db: Queryable, policy_id: string): Promise<Job | undefined> {
  return (await searchJobs(db, { filter: { policy_id }, limit: 1 })).rows[0];
}

interface Action {
  readonly description: string;
  act(db: Queryable, id: string): Promise<Policy>;
  describe(policy: Policy): string;
}

const actions: Record<string, Action> = {
  enable: {
    description: 'enable policies; those that are due run at once',
    act: (db, id) => updatePolicy(db, id, { enabled: true }),
    describe: (policy) => `enabled; next run: ${nextRunOf(policy)}`,
  },
  disable: {
    description: 'disable policies: they create no more jobs, and a live job runs to its end',
    act: (db, id) => updatePolicy(db, id, { enabled: false }),
    describe: ({ live_job_id }) =>
      live_job_id ? `disabled; its job ${live_job_id} runs to its end` : 'disabled',
  },
  run: {
    description: 'run policies now, ahead of their schedule',
    act: runPolicyNow,
    describe: ({ live_job_id }) =>
      live_job_id ? `its job ${live_job_id} is already live` : 'due now; a scheduler creates its job at once',
  },
  delete: {
    description: 'delete policies; their jobs and results stay',
    act: deletePolicy,
    describe: ({ live_job_id }) =>
      live_job_id ? `deleted; its job ${live_job_id} runs to its end` : 'deleted',
  },
};

/** One command per action on any number of policies. */
const actionCommands = Object.entries(actions).map(([name, { description, act, describe }]) =>
  new Command(name)
    .description(description)
    .argument('<id...>', 'policy ids')
    .option('--json', 'print JSON, one line per policy')
    .action((ids: string[], { json }: JsonOption, self: Command) =>
      withDatabase(self, async ({ database: { pool } }) => {
        const notifier = new Notifier(pool);
        await actOnEach(ids, json ?? false, async (id) => {
          const policy = await act(pool, id);
          await notifier.notify('policy');
          return { changed: policy, message: `policy ${id}: ${describe(policy)}` };
        });
      }),
    ),
);

export const policiesCommand = new Command('policies')
  .description('run crawls and visits on a schedule')
  .addHelpText('after', examples);
for (const command of [create, list, show, update, ...actionCommands]) policiesCommand.addCommand(command);
