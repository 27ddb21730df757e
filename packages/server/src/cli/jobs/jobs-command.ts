import {
  type Job,
  type JobFilter,
  jobFilter,
  jobKinds,
  jobStatuses,
  type ListedResult,
} from '@holdfast/contract';
import { Command, Option } from 'commander';
import { jobView, jobViews } from '../../api/jobs/job-view.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { readJobDetails } from '../../ops/jobs/job-details.ts';
import { listEvents, listJobs, showJob } from '../../queue/jobs/find-jobs.ts';
import { searchResults } from '../../shop/results/find-results.ts';
import { checkFlags } from '../check-flags.ts';
import { addListOptions } from '../list-options.ts';
import { readSince, wholeNumber } from '../option-values.ts';
import { withDatabase } from '../with-database.ts';
import { createJobCommand } from './create-job-command.ts';
import { deleteJobsCommand, jobActionCommands, retryUrlsCommand } from './job-actions.ts';
import { printEvents, printJob, printJobs } from './show-jobs.ts';

interface JsonOption {
  json?: true;
}

interface ListOptions extends JobFilter, JsonOption {
  lockedAfter?: string;
  lockedBefore?: string;
}

const examples = `
A job is one piece of work: a crawl of a site, a visit to a page for its price, or a collection of prices for an intake.
It waits until a worker (\`holdfast up\`, \`holdfast worker\`) or a bot takes it, and it survives the loss of that worker.
Until it ends, you can pause, resume or cancel it by its id.

  holdfast jobs create crawl https://example.com --payload '{"max_depth": 2}'
  holdfast jobs create visit https://shop.example/item
  holdfast jobs list --status failed
  holdfast jobs show ID                               progress, result, and what you can do
  holdfast jobs run-now ID                            start a job that waits for a time, a retry or a host
  holdfast jobs pause ID                              and later: holdfast jobs resume ID

See docs/guides/getting-started.md and docs/lifecycle.md.`;

const list = addListOptions(
  new Command('list')
    .description('list jobs, newest first')
    .addOption(new Option('--status <status>', 'only jobs in this status').choices(jobStatuses))
    .addOption(new Option('--kind <kind>', 'only jobs of this kind').choices(jobKinds))
    .option(
      '--locked-after <time>',
      'only jobs whose last run began then or later: 2h ago, or a time',
      readSince,
    )
    .option('--locked-before <time>', 'only jobs whose last run began before: 2h ago, or a time', readSince),
  'job',
)
  .option('--json', 'print JSON')
  .action(async ({ json, lockedAfter, lockedBefore, ...given }: ListOptions, command: Command) => {
    const filter = {
      ...given,
      ...(lockedAfter && { locked_after: lockedAfter }),
      ...(lockedBefore && { locked_before: lockedBefore }),
    };
    checkFlags(jobFilter, filter);
    await withDatabase(command, async ({ database }) => {
      const jobs = await listJobs(database.pool, filter);
      const views = await jobViews(database.pool, jobs);
      if (json) console.log(JSON.stringify(views));
      else printJobs(views, filter);
    });
  });

const show = new Command('show')
  .description('show a job, its timeline, and what you can do')
  .argument('<id>', 'job id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const job = await showJob(pool, id);
      const details = { ...(await readJobDetails(pool, job)), result: await findResult(pool, job) };
      const events = await listEvents(pool, id);
      const { crawl, result, actions, failedStart, waiting } = details;
      if (json)
        console.log(
          JSON.stringify({
            ...jobView(job),
            waiting,
            allowed_actions: actions,
            crawl,
            failed_start: failedStart,
            result,
            events,
          }),
        );
      else printJob(job, details, events);
    }),
  );

/** The result of a visit that found something. */
async function findResult(db: Queryable, { id, kind }: Job): Promise<ListedResult | null> {
  if (kind !== 'visit') return null;
  const { rows } = await searchResults(db, { filter: { job_id: id }, limit: 1 });
  return rows[0] ?? null;
}

const events = new Command('events')
  .description('list the events of a job, oldest first')
  .argument('<id>', 'job id')
  .option('--after <number>', 'only events after this one', wholeNumber, 0)
  .option('--json', 'print JSON')
  .action((id: string, { json, after }: JsonOption & { after: number }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      await showJob(database.pool, id);
      const rows = await listEvents(database.pool, id, after);
      if (json) console.log(JSON.stringify(rows));
      else printEvents(rows);
    }),
  );

export const jobsCommand = new Command('jobs')
  .description('create, list and control jobs: crawls, visits and collections')
  .addHelpText('after', examples);
for (const command of [
  createJobCommand,
  list,
  show,
  events,
  ...jobActionCommands,
  retryUrlsCommand,
  deleteJobsCommand,
])
  jobsCommand.addCommand(command);
