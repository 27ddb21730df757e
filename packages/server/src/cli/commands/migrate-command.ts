import { Command } from 'commander';
import { dialectViewNames } from '../../base/database/dialect-views.ts';
import { changeDialectViews, migrate } from '../../base/database/migrate.ts';
import { withDatabase } from '../with-database.ts';

interface Options {
  json?: true;
  dialectViews?: boolean;
}

export const migrateCommand = new Command('migrate')
  .description('migrate the database schema (other commands do so automatically; safe to repeat)')
  .option('--dialect-views', 'also create the views of the source documents: scrape_jobs, crawl_policy …')
  .option('--no-dialect-views', 'remove these views')
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
The views give Holdfast's tables the names of its source documents (docs/source-documents.md). They are in the schema
\`dialect\`, at the end of your role's search path; open sessions do not see it. Later migrations keep them.`,
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
        if (dialectViews) console.log(`Created the views ${names}; new sessions see them.`);
        if (dialectViews === false) console.log(`Removed the views ${names}.`);
      },
      { migrate: false },
    ),
  );
