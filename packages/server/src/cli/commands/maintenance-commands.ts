import { Command } from 'commander';
import { Notifier } from '../queue/jobs/notifications.ts';
import { makeDueJobs } from '../queue/policies/scheduler.ts';
import { Notifier } from '../../queue/jobs/notifier.ts';
import { makeDueJobs } from '../../queue/policies/make-due-jobs.ts';
import { nameWorker } from '../../queue/workers/worker-list.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

export const createJobsFromPoliciesCommand = new Command('create-jobs-from-policies')
  .alias('create_jobs_from_policies')
  .description('make the jobs of all policies that are due, once; `up` and `worker` do it by themselves')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, log }) => {
      const made = await makeDueJobs(pool, log, nameWorker());
      if (made.length > 0) await new Notifier(pool).notify('work');
      if (json) console.log(JSON.stringify(made));
      else if (made.length === 0) console.log('No policy is due.');
      else {
        console.log(`Made ${made.length} ${made.length === 1 ? 'job' : 'jobs'}:`);
        printTable(
          ['JOB', 'POLICY', 'DUE', 'URL'],
          made.map((job) => [job.job_id, job.policy_id, job.scheduled_for.toISOString(), job.url]),
        );
      }
    }),
  );
