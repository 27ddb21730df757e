import { HoldfastError } from '@holdfast/contract';
import pg from 'pg';

/** What the server said about a statement, with the place that it means. Everything else is as it was. */
export function sqlError(error: unknown, text: string): unknown {
  // Class 57P and the like are the server's own trouble, not the statement's.
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
    return 'That is a command of psql; docs/operations.md says how to open the database with it.';
  }
  if (code === '25006') return 'This changes the database: say so with --write.';
  if (code === '57014' && message.includes('statement timeout'))
    return 'Give it more time: --timeout SECONDS.';
  return hint ?? 'Correct the statement, and try again; those before it are done.';
}

/** The line that the server points to, and a mark below the place. It counts characters from 1. */
function place(text: string, position: number): string | undefined {
  if (!(position > 0)) return undefined;
  const before = [...text].slice(0, position - 1).join('');
  const start = before.lastIndexOf('\n') + 1;
  const [line = ''] = text.slice(start).split('\n');
  return `  ${line}\n  ${' '.repeat([...before.slice(start)].length)}^`;
}
