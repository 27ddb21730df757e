import { Command } from 'commander';
import { asCalled } from '../../base/process/installation.ts';
import { listWorkers } from '../../queue/workers/worker-list.ts';
import { formatAgo } from '../format-values.ts';
import { printTable } from '../print-table.ts';
import { printable } from '../terminal-text.ts';
import { withDatabase } from '../with-database.ts';

const list = new Command('list')
  .description('list workers with their state and load')
  .option('--silent', 'only those without a recent heartbeat')
  .option('--json', 'print JSON')
  .action(({ json, silent }: { json?: true; silent?: true }, command: Command) =>
    withDatabase(command, async ({ configuration, database }) => {
      const workers = await listWorkers(database.pool, configuration, { silent, limit: 1000 });
      if (json) return console.log(JSON.stringify(workers));
      if (workers.length === 0) {
        return console.log(
          silent ? 'No matching workers.' : asCalled('No workers. Start one: holdfast worker'),
        );
      }
      printTable(
        ['ID', 'STATE', 'RUNNING', 'MAXIMUM', 'HOST', 'PID', 'VERSION', 'RENDERS', 'STARTED', 'LAST SEEN'],
        workers.map((worker) => [
          worker.id,
          worker.state,
          worker.running_jobs,
          worker.max_jobs,
          worker.host,
          worker.pid,
          worker.version,
          worker.browser === null ? 'no' : 'yes',
          formatAgo(worker.started_at),
          formatAgo(worker.last_seen),
        ]),
      );
      for (const { id, trouble } of workers) if (trouble) console.log(`\n${id}: ${printable(trouble)}`);
      for (const { id, browser_problem: problem } of workers)
        if (problem) console.log(`\n${id} renders no pages: ${printable(problem)}; see holdfast doctor`);
    }),
  );

export const workersCommand = new Command('workers')
  .description('list the workers that run jobs')
  .addCommand(list);
