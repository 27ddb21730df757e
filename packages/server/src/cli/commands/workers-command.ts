import { Command } from 'commander';
import { asCalled } from '../base/process/installation.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { listWorkers } from '../../queue/workers/worker-list.ts';
import { formatAgo } from '../format-time.ts';
import { printable, printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

const list = new Command('list')
  .description('who runs jobs, whether they are alive, and how busy they are')
  .option('--silent', 'only those not heard of lately')
  .option('--json', 'print JSON')
  .action(({ json, silent }: { json?: true; silent?: true }, command: Command) =>
    withDatabase(command, async ({ configuration, database }) => {
      const workers = await listWorkers(database.pool, configuration, { silent, limit: 1000 });
      if (json) return console.log(JSON.stringify(workers));
      if (workers.length === 0) {
        return console.log(silent ? 'No such workers.' : asCalled('No workers. Start one: holdfast worker'));
      }
      printTable(
        ['ID', 'STATE', 'RUNNING', 'AT MOST', 'HOST', 'PID', 'VERSION', 'STARTED', 'LAST SEEN'],
        workers.map((worker) => [
          worker.id,
          worker.state,
          worker.running_jobs,
          worker.max_jobs,
          worker.host,
          worker.pid,
          worker.version,
          formatAgo(worker.started_at),
          formatAgo(worker.last_seen),
        ]),
      );
      for (const { id, trouble } of workers) if (trouble) console.log(`\n${id}: ${printable(trouble)}`);
    }),
  );

export const workersCommand = new Command('workers').description('see who runs jobs').addCommand(list);
