import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HoldfastError } from '@holdfast/contract';

export interface MigrationFile {
  readonly version: number;
  /** The file's name: `0001_queue.sql`. */
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const namePattern = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** packages/server/migrations, from src/database as well as from the bundle in dist. */
export function migrationsFolder(): string {
  for (
    let folder = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));
    ;
    folder = dirname(folder)
  ) {
    const candidate = join(folder, 'migrations');
    if (existsSync(join(folder, 'package.json')) && existsSync(candidate)) return candidate;
    if (folder === dirname(folder))
      throw new HoldfastError('migration_failed', 'the folder of migrations is missing');
  }
}

/** All migrations, by version. */
export function readMigrationFiles(folder: string): MigrationFile[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const files = names.map((name) => readMigrationFile(folder, name));
  const twin = files.find((file, index) => file.version === files[index - 1]?.version);
  if (twin) throw new HoldfastError('migration_failed', `two files have the version of ${twin.name}`);
  return files;
}

function readMigrationFile(folder: string, name: string): MigrationFile {
  const version = Number(namePattern.exec(name)?.[1]);
  if (!version) throw new HoldfastError('migration_failed', `${name} is not named like 0001_lower_case.sql`);
  // Git may check the file out with other line ends; that is no change.
  const sql = readFileSync(join(folder, name), 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n');
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
