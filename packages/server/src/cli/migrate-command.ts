import { Command } from 'commander';
import { migrate } from '../database/migrate.ts';
import { withDatabase } from './with-database.ts';

export const migrateCommand = new Command('migrate')
  .description('bring the database schema up to date (every command does so by itself; safe to repeat)')
  .option('--json', 'print JSON')
  .action((options: { json?: true }, command: Command) =>
    withDatabase(
      command,
      async ({ database }) => {
        const result = await migrate(database.pool);
        if (options.json) return console.log(JSON.stringify(result));
        for (const name of result.applied) console.log(`applied ${name}`);
        console.log(`The schema of ${database.describe} is at version ${result.version}.`);
      },
      { migrate: false },
    ),
  );
