import { type Job, type PolicyFilter, type PolicyKind, policyChange, policyFilter, policyKinds, policyRequest } from '@holdfast/contract';
import { Argument, Command, Option } from 'commander';
import { Notifier } from '../queue/jobs/notifications.ts';
import { findPolicy } from '../queue/policies/find-policies.ts';
import { nextRunOf, printPolicies, printPolicy } from './show-policies.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { Notifier } from '../../queue/jobs/notifier.ts';
import { searchJobs } from '../../queue/jobs/search-jobs.ts';
import { updatePolicy } from '../../queue/policies/change-policy.ts';
import { createPolicy } from '../../queue/policies/create-policy.ts';
import { listPolicies } from '../../queue/policies/find-policies.ts';
import { findPolicy } from '../../queue/policies/find-policy.ts';
import { checkFlags } from '../check-flags.ts';
import { checkOptions } from '../check-options.ts';
import { wholePage } from '../list-options.ts';
import { policyActionCommands } from '../policy-actions.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';
import { addPolicyOptions, type PolicyFlags, policyFlagOf, readPolicy } from './policy-options.ts';

interface JsonOption {
  json?: true;
}

const examples = `
A policy says what to run again, and when. A scheduler, in every \`holdfast up\` and \`holdfast worker\`, makes a job of each
that is due; after a success it runs again in its frequency, after a failure in 5, 10, 20, 40 … minutes.

  holdfast policies create crawl https://example.com --frequency 7d
  holdfast policies create visit https://shop.example/item --frequency 6h --executor bot
  holdfast policies list --enabled                    what runs, and when next
  holdfast policies update ID --frequency 12h         change what you name; the rest stays
  holdfast policies run ID                            now, before its time
  holdfast jobs show JOB                              its live job, as named by \`policies show\`

See docs/policies.md.`;

const create = addPolicyOptions(
  new Command('create')
    .description('add a policy; its first job is made at once, unless you say when')
    .addArgument(new Argument('<kind>', 'what kind of job').choices(policyKinds))
    .argument('<url>', 'the site to crawl, or the page to visit'),
)
  .option('--disabled', 'make no jobs until it is enabled')
  .option('--user <id>', 'its owner', 'local')
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
      checkOptions(kind, request.options ?? {}, 'of --options');
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
  new Command('update')
    .description('change a policy; what you do not name stays')
    .argument('<id>', 'id of the policy'),
)
  .option('--url <url>', 'the site to crawl, or the page to visit')
  .option('--json', 'print JSON')
  .action((id: string, flags: PolicyFlags & JsonOption, command: Command) => {
    const change = checkFlags(policyChange, readPolicy(flags), policyFlagOf);
    return withDatabase(command, async ({ database: { pool } }) => {
      if (change.options) checkOptions((await findPolicy(pool, id)).kind, change.options, 'of --options');
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

const list = new Command('list')
  .description('the newest policies first')
  .option('--enabled', 'only those that run')
  .addOption(new Option('--disabled', 'only those that do not').conflicts('enabled'))
  .addOption(new Option('--kind <kind>', 'only of this kind').choices(policyKinds))
  .option('--priority <number>', 'only with this priority', wholeNumber)
  .option('--search <text>', 'only those with this in their URL')
  .option('--created-after <time>', 'such as 2030-01-31T08:00:00Z')
  .option('--created-before <time>')
  .option('--next-run-after <time>')
  .option('--next-run-before <time>')
  .option('--user <id>', 'only of this owner')
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <id>', 'go on behind this policy: the last one of the page before')
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

const show = new Command('show')
  .description('one policy: what it does, how it went, and when it runs next')
  .argument('<id>', 'id of the policy')
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

export const policiesCommand = new Command('policies')
  .description('run crawls and visits again and again')
  .addHelpText('after', examples);
for (const command of [create, list, show, update, ...policyActionCommands])
  policiesCommand.addCommand(command);

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
  const said = Object.entries(filter).filter(([, value]) => value !== undefined);
  return checkFlags(policyFilter, Object.fromEntries(said));
}
