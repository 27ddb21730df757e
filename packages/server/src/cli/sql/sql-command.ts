import { text as readAll } from 'node:stream/consumers';
import { HoldfastError } from '@holdfast/contract';
import { Command } from 'commander';
import pg from 'pg';
import { wholeNumber } from '../option-values.ts';
import { withDatabase } from '../with-database.ts';
import { printResult, type ResultFormat } from './print-result.ts';
import { splitStatements } from './split-statements.ts';
import { SqlSession } from './sql-session.ts';

interface Options {
  readonly write?: true;
  readonly json?: true;
  readonly csv?: true;
  readonly timeout: number;
}

export const sqlCommand = new Command('sql')
  .description('run SQL on the database; read-only unless --write is given')
  .argument('<statements...>', 'statements, separated by semicolons; - reads them from standard input')
  // SQL may begin with a comment, which looks like an option.
  .allowUnknownOption()
  .option('--write', 'allow changes to the database')
  .option('--timeout <seconds>', 'time limit per statement; 0 for none', wholeNumber, 60)
  .option('--json', 'print each result as one line of JSON')
  .option('--csv', 'print the rows of each result as CSV')
  .addHelpText(
    'after',
    `
  holdfast sql "SELECT status, count(*) FROM crawl_jobs GROUP BY status"
  holdfast sql --csv "SELECT url, title FROM crawl_pages WHERE job_id = 'ID'" > pages.csv
  holdfast sql --write "DELETE FROM crawl_jobs WHERE status = 'failed'"
  holdfast sql - < report.sql

Each statement runs in a read-only transaction of its own. With --write each one commits by itself, unless the text contains BEGIN
and COMMIT. The first error ends the command. The tables are in docs/schema.md. Read-only protects the database, not the machine:
a superuser can still write files with COPY. For psql, see docs/operations.md.`,
  )
  .action(async (given: string[], options: Options, command: Command) => {
    const { write = false, json = false, csv = false, timeout: timeoutSeconds } = options;
    const unknown = given.find((word) => /^--?[a-z][\w-]*(=.*)?$/i.test(word));
    if (unknown) throw new HoldfastError('bad_request', `unknown option '${unknown}'`);
    if (json && csv) throw new HoldfastError('bad_request', 'use --json or --csv, not both');
    const text = given.length === 1 && given[0] === '-' ? await readAll(process.stdin) : given.join(' ');
    const statements = splitStatements(text);
    if (statements.length === 0) throw new HoldfastError('bad_request', 'there is no statement to run');
    const format: ResultFormat = json ? 'json' : csv ? 'csv' : 'table';
    await withDatabase(command, async ({ database }) => {
      const onNotice = (notice: string) => console.error(notice);
      const session = await SqlSession.open(database.url, { write, timeoutSeconds, onNotice });
      try {
        for (const [index, statement] of statements.entries()) {
          const result = await session.run(statement).catch((error) => {
            throw sqlError(error, statement);
          });
          if (index > 0 && format === 'table') console.log();
          printResult(result, format);
        }
        if (session.isUnfinished) console.error('BEGIN without COMMIT: changes since BEGIN are rolled back.');
      } finally {
        await session.close();
      }
    });
  });

/** An error of the server about a statement, with the position. Other errors are returned unchanged. */
function sqlError(error: unknown, text: string): unknown {
  // Connection, resource and shutdown errors are not about the statement.
  if (!(error instanceof pg.DatabaseError) || /^(08|53|57P)/.test(error.code ?? '')) return error;
  const lines = [
    error.message,
    place(text, Number(error.position)),
    error.detail && `DETAIL: ${error.detail}`,
  ];
  return new HoldfastError('sql_refused', lines.filter(Boolean).join('\n'), {
    cause: error,
    hint: hintOf(error, text),
  });
}

function hintOf({ code, hint, message }: pg.DatabaseError, text: string): string {
  if (text.startsWith('\\')) {
    return 'That is a psql command; docs/operations.md says how to open the database with psql.';
  }
  if (code === '25006') return 'This changes the database: add --write.';
  if (code === '57014' && message.includes('statement timeout')) return 'Allow more time: --timeout SECONDS.';
  return hint ?? 'Correct the statement and try again; the statements before it have run.';
}

/** The line with the error, and a mark below the position. The server counts characters from 1. */
function place(text: string, position: number): string | undefined {
  if (!(position > 0)) return undefined;
  const before = [...text].slice(0, position - 1).join('');
  const start = before.lastIndexOf('\n') + 1;
  const [line = ''] = text.slice(start).split('\n');
  return `  ${line}\n  ${' '.repeat([...before.slice(start)].length)}^`;
}
