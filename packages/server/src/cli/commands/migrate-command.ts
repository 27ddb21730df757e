import { Command } from 'commander';
import { dialectViewNames } from '../../base/database/dialect-views.ts';
import { changeDialectViews, migrate } from '../../base/database/migrate.ts';
import { withDatabase } from '../with-database.ts';

interface Options {
  json?: true;
  dialectViews?: boolean;
}

export const migrateCommand = new Command('migrate')
  .description('bring the database schema up to date (every command does so by itself; safe to repeat)')
  .option('--dialect-views', 'make the views of the source documents as well: scrape_jobs, crawl_policy …')
  .option('--no-dialect-views', 'remove them')
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
The views are for those who know Holdfast's tables by the names of the documents that it began with (docs/source-documents.md).
They are in a schema of their own, \`dialect\`, at the end of your role's search path; sessions that are open do not see it. Later
migrations keep them.`,
  )
  .action(({ json, dialectViews }: Options, command: Command) =>
    withDatabase(
      command,
      async ({ database }) => {
        const result = await migrate(database.pool);
        if (dialectViews !== undefined) await changeDialectViews(database.pool, dialectViews);
        if (json)
          return console.log(
            JSON.stringify({ ...result, ...(dialectViews !== undefined && { dialect_views: dialectViews }) }),
          );
        for (const name of result.applied) console.log(`applied ${name}`);
        console.log(`The schema of ${database.describe} is at version ${result.version}.`);
        const names = dialectViewNames.join(', ');
        if (dialectViews) console.log(`The views ${names} are there, for sessions that begin now.`);
        if (dialectViews === false) console.log(`The views ${names} are removed.`);
      },
      { migrate: false },
    ),
  );
