import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { runHoldfast, startHoldfast } from './run-holdfast.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() =>
  database.pool.query('DROP TABLE IF EXISTS made; CREATE TABLE made (n int); INSERT INTO made VALUES (1)'),
);

const sql = (...args: string[]) => runHoldfast(['sql', ...args], { DATABASE_URL: database.url });
const made = async () => (await database.pool.query('SELECT n FROM made ORDER BY n')).rows.map(({ n }) => n);

async function sqlFrom(input: string, ...args: string[]) {
  const child = startHoldfast(['sql', ...args, '-'], { DATABASE_URL: database.url }) as ChildProcess & {
    stdin: NodeJS.WritableStream;
    stdout: NodeJS.ReadableStream;
  };
  child.stdin.end(input);
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { exit: child.exitCode, stdout };
}

describe('holdfast sql', () => {
  test('prints the rows of each statement as a table', async () => {
    const answer = await sql(
      `SELECT 1 AS number, 'a' AS letter, NULL AS nothing UNION ALL SELECT 20, 'b', 'c'; SHOW TimeZone`,
    );
    expect(answer).toMatchObject({ exit: 0, stderr: '' });
    expect(answer.stdout).toMatch(
      /^number {2}letter {2}nothing\n {5}1 {2}a\n {4}20 {2}b {7}c\n\(2 rows\)\n\nTimeZone\n\S+\n\(1 row\)\n$/,
    );
  });

  test('prints JSON, a line for each statement, with the types and digits of the database', async () => {
    const { stdout } = await sql(
      '--json',
      `SELECT 1 AS one, 1 AS one, 9007199254740993 AS large, 0.10::numeric AS exact, true AS yes, '{"a": [1]}'::jsonb AS document,
         NULL AS nothing, 'x' AS text; SELECT 2 AS two WHERE false`,
    );
    expect(stdout.split('\n')).toEqual([
      '[{"one":1,"one_2":1,"large":"9007199254740993","exact":"0.10","yes":true,"document":{"a":[1]},"nothing":null,"text":"x"}]',
      '[]',
      '',
    ]);
  });

  test('takes a text that begins with a comment', async () => {
    expect(await sql('-- how many\nSELECT 1 AS one', '--csv')).toMatchObject({
      exit: 0,
      stdout: 'one\r\n1\r\n',
    });
  });

  test('prints CSV', async () => {
    const { stdout } = await sql('--csv', `SELECT 'a,"b"' AS "first one", NULL AS none, '' AS empty`);
    expect(stdout).toBe('first one,none,empty\r\n"a,""b""",,""\r\n');
  });

  test('reads from standard input', async () => {
    expect(await sqlFrom(`-- two of them\nSELECT 1 AS a;\nSELECT ';' AS b;\n`, '--csv')).toEqual({
      exit: 0,
      stdout: 'a\r\n1\r\nb\r\n;\r\n',
    });
  });

  test.each([
    'INSERT INTO made VALUES (2)',
    'COMMIT; INSERT INTO made VALUES (2)',
    'ROLLBACK; BEGIN; INSERT INTO made VALUES (2); COMMIT',
    'SET TRANSACTION READ WRITE; INSERT INTO made VALUES (2)',
    'SET transaction_read_only = off; INSERT INTO made VALUES (2)',
    'SET default_transaction_read_only = off; COMMIT; INSERT INTO made VALUES (2)',
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; INSERT INTO made VALUES (2)',
    'COMMIT AND CHAIN; INSERT INTO made VALUES (2)',
    'DO $$ BEGIN COMMIT; INSERT INTO made VALUES (2); END $$',
    'WITH new AS (INSERT INTO made VALUES (2) RETURNING n) SELECT * FROM new',
    'DROP TABLE made',
  ])('changes nothing unless it is told to write: %s', async (statement) => {
    const { exit } = await sql(statement);
    expect(exit).toBe(2);
    expect(await made()).toEqual([1]);
  });

  test('says how to let it write', async () => {
    const { stderr } = await sql('DELETE FROM made');
    expect(stderr).toContain('cannot execute DELETE in a read-only transaction');
    expect(stderr).toContain('add --write');
  });

  test('writes when it is told to, and keeps each statement as it is done', async () => {
    const answer = await sql(
      '--write',
      'INSERT INTO made VALUES (2); INSERT INTO made VALUES (3); VACUUM made; SELECT 1/0; DELETE FROM made',
    );
    expect(answer).toMatchObject({ exit: 2, stdout: 'INSERT 1\n\nINSERT 1\n\nVACUUM\n' });
    expect(answer.stderr).toContain('division by zero');
    expect(await made()).toEqual([1, 2, 3]);
  });

  test('leaves transactions to the text that writes BEGIN, and undoes what was not committed', async () => {
    await sql('--write', 'BEGIN; INSERT INTO made VALUES (2); COMMIT; BEGIN; DELETE FROM made; ROLLBACK');
    expect(await made()).toEqual([1, 2]);
    const { stderr } = await sql('--write', 'BEGIN; DELETE FROM made');
    expect(stderr).toContain('BEGIN without COMMIT');
    expect(await made()).toEqual([1, 2]);
  });

  test('ends a statement that takes too long', async () => {
    const { exit, stderr } = await sql('--timeout', '1', 'SELECT pg_sleep(600)');
    expect(exit).toBe(2);
    expect(stderr).toContain('--timeout SECONDS');
  });

  test('shows where a statement is wrong, and what the server advises', async () => {
    const { exit, stderr } = await sql('SELECT 1;\nSELECT id,\n  payloat FROM crawl_jobs');
    expect(exit).toBe(2);
    expect(stderr).toContain('column "payloat" does not exist\n    payloat FROM crawl_jobs\n    ^\n');
    expect(stderr).toContain('crawl_jobs.payload');
  });

  test('passes on what the server remarks', async () => {
    const { exit, stderr } = await sql('--write', 'ALTER TABLE made ADD COLUMN IF NOT EXISTS n int');
    expect(exit).toBe(0);
    expect(stderr).toContain('NOTICE: column "n" of relation "made" already exists, skipping');
  });

  test.each([
    [['\\d crawl_jobs'], 'That is a psql command'],
    [[' ; '], 'there is no statement to run'],
    [['--jsn', 'SELECT 1'], "unknown option '--jsn'"],
    [['--json', '--csv', 'SELECT 1'], '--json or --csv, not both'],
  ])('refuses %j with what to do', async (args, why) => {
    const { exit, stderr } = await sql(...args);
    expect([exit, stderr.includes(why) ? why : stderr]).toEqual([2, why]);
  });
});
