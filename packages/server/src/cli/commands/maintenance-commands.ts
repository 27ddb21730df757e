import { Command } from 'commander';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { sweepLeases } from '../../queue/jobs/recover-jobs.ts';
import { makeDueJobs } from '../../queue/policies/scheduler.ts';
import { nameWorker } from '../../queue/workers/worker-list.ts';
import { countOf } from '../format-values.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

export const createJobsFromPoliciesCommand = new Command('create-jobs-from-policies')
  .alias('create_jobs_from_policies')
  .description('create the jobs of all due policies, once; `up` and `worker` do so continuously')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, log }) => {
      const made = await makeDueJobs(pool, log, nameWorker());
      if (made.length > 0) await new Notifier(pool).notify('work');
      if (json) console.log(JSON.stringify(made));
      else if (made.length === 0) console.log('No policy is due.');
      else {
        console.log(`Created ${countOf(made.length, 'job')}:`);
        printTable(
          ['JOB', 'POLICY', 'DUE', 'URL'],
          made.map((job) => [job.job_id, job.policy_id, job.scheduled_for.toISOString(), job.url]),
        );
      }
    }),
  );

export const expireLocksCommand = new Command('expire-locks')
  .alias('expire_locks')
  .description('end expired leases, once; the watchdog of `up` and `worker` does so continuously')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, log }) => {
      const { jobs: ended, shards } = await sweepLeases(pool, log, nameWorker());
      if (ended.length + shards > 0) await new Notifier(pool).notify('work');
      if (json) console.log(JSON.stringify(ended));
      else if (shards > 0)
        console.log(`Freed ${countOf(shards, 'shard')} of crawls that other runners go on with.`);
      if (json) return;
      if (ended.length + shards === 0) console.log('No lease has expired.');
      if (ended.length > 0) {
        console.log(`Ended ${countOf(ended.length, 'lease')}:`);
        printTable(
          ['JOB', 'NOW', 'RETRIES', 'HELD BY'],
          ended.map((job) => [job.id, job.status, `${job.retry_count}/${job.max_retries}`, job.prior_worker]),
        );
      }
    }),
  );
