import { Command } from 'commander';
import { Notifier } from '../queue/jobs/notifications.ts';
import { sweepLeases } from '../queue/jobs/recover-jobs.ts';
import { nameWorker } from '../queue/workers/worker-list.ts';
import { printTable } from './print-table.ts';
import { withDatabase } from './with-database.ts';

export const expireLocksCommand = new Command('expire-locks')
  .alias('expire_locks')
  .description('end all leases that ran out, once; the watchdog of `up` and `worker` does it by itself')
  .option('--json', 'print JSON')
  .action(({ json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, log }) => {
      const ended = await sweepLeases(pool, log, nameWorker());
      if (ended.length > 0) await new Notifier(pool).notify('work');
      if (json) console.log(JSON.stringify(ended));
      else if (ended.length === 0) console.log('No lease has run out.');
      else {
        console.log(`Ended ${ended.length} ${ended.length === 1 ? 'lease' : 'leases'}:`);
        printTable(
          ['JOB', 'NOW', 'RETRIES', 'HELD BY'],
          ended.map((job) => [job.id, job.status, `${job.retry_count}/${job.max_retries}`, job.prior_worker]),
        );
      }
    }),
  );
