import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What starts a process, or wants the database server that the set-up of the other tests starts. */
const needsProcess = /from '(node:(child_process|cluster|worker_threads)|playwright-core)'|\binject\(/;
const isFixture = /(^|\/)(test|testing)\//;

/** The tests beside the source that start no process: neither they nor their fixtures do. */
export function unitTests(root: string): string[] {
  const needs = new Map<string, boolean>();
  const startsProcess = (file: string): boolean => {
    const known = needs.get(file);
    if (known !== undefined) return known;
    needs.set(file, false); // until it is known, for fixtures that import each other
    const text = readFileSync(file, 'utf8');
    const result = needsProcess.test(text) || fixturesOf(file, text).some(startsProcess);
    needs.set(file, result);
    return result;
  };
  return testsBesideSource(join(root, 'packages')).filter((path) => !startsProcess(path));
}

function testsBesideSource(packages: string): string[] {
  return readdirSync(packages)
    .map((name) => join(packages, name, 'src'))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.test.ts'))
        .map((path) => join(folder, path)),
    );
}

function fixturesOf(file: string, text: string): string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => isFixture.test(path) && existsSync(path));
}
