import { text as readAll } from 'node:stream/consumers';
import { HoldfastError } from '@holdfast/contract';
import { Command } from 'commander';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';
import { type AnswerFormat, printAnswer } from './print-result.ts';
import { splitStatements } from './split-statements.ts';
import { sqlError } from './sql-error.ts';
import { SqlSession } from './sql-session.ts';

interface Options {
  readonly write?: true;
  readonly json?: true;
  readonly csv?: true;
  readonly timeout: number;
}

export const sqlCommand = new Command('sql')
  .description(
    'run SQL on the database of the data folder or of DATABASE_URL; it only reads, unless told otherwise',
  )
  .argument(
    '<statements...>',
    'one or more statements, each ended by a semicolon; - reads them from standard input',
  )
  // A text may begin with a comment, which looks like an option.
  .allowUnknownOption()
  .option('--write', 'let them change the database')
  .option('--timeout <seconds>', 'how long each statement may take; 0: as long as it likes', wholeNumber, 60)
  .option('--json', 'print each answer as JSON, on a line of its own')
  .option('--csv', 'print the rows of each answer as CSV')
  .addHelpText(
    'after',
    `
  holdfast sql "SELECT status, count(*) FROM crawl_jobs GROUP BY status"
  holdfast sql --csv "SELECT url, title FROM crawl_pages WHERE job_id = 'ID'" > pages.csv
  holdfast sql --write "DELETE FROM crawl_jobs WHERE status = 'failed'"
  holdfast sql - < report.sql

Every statement runs by itself, in a read-only transaction. With --write each one is kept as soon as it is done, unless the text
itself says BEGIN and COMMIT. The first that fails is the last. The tables are in docs/schema.md. Read-only protects the database, not
the machine: a superuser may still write files with COPY. How to use psql: docs/operations.md.`,
  )
  .action(async (given: string[], options: Options, command: Command) => {
    const { write = false, json = false, csv = false, timeout: timeoutSeconds } = options;
    const unknown = given.find((word) => /^--?[a-z][\w-]*(=.*)?$/i.test(word));
    if (unknown) throw new HoldfastError('bad_request', `unknown option '${unknown}'`);
    if (json && csv) throw new HoldfastError('bad_request', '--json and --csv cannot be had together');
    const text = given.length === 1 && given[0] === '-' ? await readAll(process.stdin) : given.join(' ');
    const statements = splitStatements(text);
    if (statements.length === 0) throw new HoldfastError('bad_request', 'there is no statement to run');
    const format: AnswerFormat = json ? 'json' : csv ? 'csv' : 'table';
    await withDatabase(command, async ({ database }) => {
      const onNotice = (notice: string) => console.error(notice);
      const session = await SqlSession.open(database.url, { write, timeoutSeconds, onNotice });
      try {
        for (const [index, statement] of statements.entries()) {
          const answer = await session.run(statement).catch((error) => {
            throw sqlError(error, statement);
          });
          if (index > 0 && format === 'table') console.log();
          printAnswer(answer, format);
        }
        if (session.isUnfinished)
          console.error('There was no COMMIT after BEGIN: nothing since then is kept.');
      } finally {
        await session.close();
      }
    });
  });
