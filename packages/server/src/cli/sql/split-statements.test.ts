import { expect, test } from 'vitest';
import { splitStatements } from './split-statements.ts';

test.each([
  ['one without an end', 'SELECT 1', ['SELECT 1']],
  ['several, and nothing between', ' SELECT 1;; \n;SELECT 2 ; ', ['SELECT 1', 'SELECT 2']],
  ['strings', `SELECT ';', 'it''s; so', "a;""b"; SELECT 2`, [`SELECT ';', 'it''s; so', "a;""b"`, 'SELECT 2']],
  ['backslashes, which escape in E strings only', `SELECT 'a\\'; SELECT E'b\\';c'; SELECT 3`, [
    `SELECT 'a\\'`,
    `SELECT E'b\\';c'`,
    'SELECT 3',
  ]],
  ['names that end in e', `SELECT type'x;y'; SELECT 2`, [`SELECT type'x;y'`, 'SELECT 2']],
  ['dollar quotes', 'DO $$ BEGIN; END $$; SELECT $a$ ; $$ ; $a$; SELECT $1;', [
    'DO $$ BEGIN; END $$',
    'SELECT $a$ ; $$ ; $a$',
    'SELECT $1',
  ]],
  ['names with a dollar sign', 'SELECT a$b; SELECT c$b', ['SELECT a$b', 'SELECT c$b']],
  ['comments', "-- one; 'two\nSELECT 1; -- three\n/* a; /* b; */ c; */ SELECT 2; /* d; */", [
    "-- one; 'two\nSELECT 1",
    '-- three\n/* a; /* b; */ c; */ SELECT 2',
  ]],
  ['nothing but comments', '-- a;\n/* b; */ ;', []],
  ['what has no end', "SELECT 'a; b", ["SELECT 'a", 'b']],
])('%s', (_, text, statements) => {
  expect(splitStatements(text)).toEqual(statements);
}); // biome-ignore format: a table
