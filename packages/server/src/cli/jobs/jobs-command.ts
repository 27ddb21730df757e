import { type Job, type JobFilter, type JobRequest, jobFilter, jobKinds, jobStatuses, type ListedResult } from '@holdfast/contract';
import { Argument, Command, Option } from 'commander';
import { asCalled } from '../base/process/installation.ts';
import { listEvents } from '../queue/jobs/find-jobs.ts';
import { Notifier } from '../queue/jobs/notifications.ts';
import { searchResults } from '../shop/results/find-results.ts';
import { actionCommands } from './job-actions.ts';
import { printEvents, printJob, printJobs } from './show-jobs.ts';
import { jobView, jobViews } from '../../api/jobs/job-view.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { retryUrls } from '../../crawl/frontier/retry-urls.ts';
import { findWait } from '../../ops/jobs/find-waits.ts';
import { readJobDetails } from '../../ops/jobs/job-details.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { listJobs, showJob } from '../../queue/jobs/find-jobs.ts';
import { listEvents } from '../../queue/jobs/list-events.ts';
import { Notifier } from '../../queue/jobs/notifier.ts';
import { searchResults } from '../../shop/results/search-results.ts';
import { checkFlags } from '../check-flags.ts';
import { crawlFieldsText } from '../crawl-fields-text.ts';
import { deleteJobsCommand } from '../delete-jobs-command.ts';
import { readSince } from '../read-since.ts';
import { waitText } from '../wait-text.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';
import { readJobRequest } from './create-job-command.ts';

interface JsonOption {
  json?: true;
}

interface ListOptions extends JobFilter, JsonOption {
  lockedAfter?: string;
  lockedBefore?: string;
}

const examples = `
A job is one piece of work: a crawl of a site, a visit of one page for its price, or the collection of prices of an intake.
It waits until a worker takes it (\`holdfast up\`, \`holdfast worker\`, or a bot), survives whatever happens to that worker,
and can be steered by its id until it has ended.

  holdfast jobs create crawl https://example.com --payload '{"max_depth": 2}'
  holdfast jobs create visit https://shop.example/item
  holdfast jobs list --status failed
  holdfast jobs show ID                               how far it is, what came of it, what can be done
  holdfast jobs run-now ID                            starts one that waits for its time, its retry or a host
  holdfast jobs pause ID                              and later: holdfast jobs resume ID

See docs/guides/getting-started.md and docs/lifecycle.md.`;

const create = new Command('create')
  .description('add a job (what runs it: `holdfast up`, `holdfast worker`, or a bot)')
  .addArgument(new Argument('<kind>', 'what kind of job').choices(jobKinds))
  .argument('[url]', 'the site to crawl, or the page to visit')
  .option('--payload <json>', 'more fields of the payload, as a JSON object; --help lists them')
  .option('--priority <number>', 'higher runs first, -1000 to 1000', wholeNumber)
  .option('--run-at <time>', 'not before this time, such as 2030-01-31T08:00:00Z')
  .option('--dedupe-key <key>', 'answer with the live job that has this key, if there is one')
  .option('--idempotency-key <key>', 'repeating the command with this key adds nothing')
  .option('--max-retries <number>', 'retries after the first run', wholeNumber)
  .option('--timeout-seconds <number>', 'hard deadline of one run', wholeNumber)
  .addOption(new Option('--executor <name>', 'who runs a visit').choices(['builtin', 'bot']))
  .option('--json', 'print JSON')
  .addHelpText('after', crawlFieldsText)
  .action(async (kind: JobRequest['kind'], url: string | undefined, _options, command: Command) => {
    const request = readJobRequest(kind, url, command.opts());
    await withDatabase(command, async ({ database, actor }) => {
      const { job, outcome } = await enqueueJob(database.pool, request, actor);
      if (outcome === 'created') await new Notifier(database.pool).notify('work');
      if (command.opts<JsonOption>().json) console.log(JSON.stringify({ ...jobView(job), outcome }));
      else
        console.log(
          outcome === 'created' ? `created job ${job.id}` : `job ${job.id} stands already (${outcome})`,
        );
      // Beside the answer, which programs read.
      const waiting = await findWait(database.pool, job);
      if (waiting) console.error(asCalled(waitText(waiting)));
    });
  });

const list = new Command('list')
  .description('the newest jobs first')
  .addOption(new Option('--status <status>', 'only jobs in this status').choices(jobStatuses))
  .addOption(new Option('--kind <kind>', 'only jobs of this kind').choices(jobKinds))
  .option(
    '--locked-after <when>',
    'only jobs whose last run began then or later: 2h ago, or a time',
    readSince,
  )
  .option('--locked-before <when>', 'only jobs whose last run began before: 2h ago, or a time', readSince)
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <id>', 'go on behind this job: the last one of the page before')
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
  .description('one job, its timeline, and what can be done to it now')
  .argument('<id>', 'id of the job')
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

/** What a visit brought, if it brought something. */
async function findResult(db: Queryable, { id, kind }: Job): Promise<ListedResult | null> {
  if (kind !== 'visit') return null;
  const { rows } = await searchResults(db, { filter: { job_id: id }, limit: 1 });
  return rows[0] ?? null;
}

const events = new Command('events')
  .description('everything that happened to a job, oldest first')
  .argument('<id>', 'id of the job')
  .option('--after <number>', 'only events behind this one', wholeNumber, 0)
  .option('--json', 'print JSON')
  .action((id: string, { json, after }: JsonOption & { after: number }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      await showJob(database.pool, id);
      const rows = await listEvents(database.pool, id, after);
      if (json) console.log(JSON.stringify(rows));
      else printEvents(rows);
    }),
  );

const retryUrlsCommand = new Command('retry-urls')
  .description('try failed and skipped pages of a finished crawl again')
  .argument('<id>', 'id of the job')
  .option('--with <code...>', 'only those with these error codes or reasons, such as site_error or http_403')
  .option('--json', 'print JSON')
  .action((id: string, { json, with: reasons }: JsonOption & { with?: string[] }, command: Command) =>
    withDatabase(command, async ({ database, actor }) => {
      const job = await retryUrls(database.pool, id, reasons ? { reasons } : {}, actor);
      await new Notifier(database.pool).notify('requeued');
      console.log(json ? JSON.stringify(jobView(job)) : `job ${id}: ${job.status}`);
    }),
  );

export const jobsCommand = new Command('jobs')
  .description('add, see and steer jobs: crawls, visits and collections')
  .addHelpText('after', examples);
for (const command of [create, list, show, events, ...actionCommands, retryUrlsCommand, deleteJobsCommand])
  jobsCommand.addCommand(command);
