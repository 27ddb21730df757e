import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly link?: boolean;
  readonly resolved?: string;
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const packages: Record<string, LockedPackage> = lock.packages;

/** Where Node looks for a dependency: beside the package, then in each folder above. */
function isLocked(path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('node_modules/'), 0))) {
    const base = folder.replace(/\/$/, '');
    if (`${base === '' ? '' : `${base}/`}node_modules/${name}` in packages) return true;
    if (base === '') return false;
  }
}

// `npm ci` refuses to install otherwise, also for platforms that nobody here uses.
test('the lock file has every dependency, those of other platforms included', () => {
  const missing = Object.entries(packages).flatMap(
    ([path, { dependencies, optionalDependencies, devDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path || '.'} needs ${name}`),
  );
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

test('the lock file names no registry', () => {
  const remote = Object.values(packages).filter(({ link, resolved }) => resolved !== undefined && !link);
  expect(remote).toEqual([]);
});
