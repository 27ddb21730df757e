import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HoldfastError } from '@holdfast/contract';
import type { ClientBase, Pool } from 'pg';

export interface MigrationFile {
  readonly version: number;
  /** The file name: `0001_queue.sql`. */
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly appliedAt: Date;
}

export interface MigrationState {
  readonly known: readonly MigrationFile[];
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly MigrationFile[];
  /** Applied, and edited since. */
  readonly changed: readonly MigrationFile[];
  /** Applied by a newer Holdfast. */
  readonly unknown: readonly AppliedMigration[];
}

/** Compares the applied migrations with the files. Changes nothing. */
export async function readMigrationState(
  pool: Pool | ClientBase,
  folder: string = migrationsFolder(),
): Promise<MigrationState> {
  return compare(readMigrationFiles(folder), await readApplied(pool));
}

async function readApplied(pool: Pool | ClientBase): Promise<AppliedMigration[]> {
  try {
    const { rows } = await pool.query<AppliedMigration>(
      `SELECT version, name, checksum, applied_at AS "appliedAt" FROM holdfast_migrations ORDER BY version`,
    );
    return rows;
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return []; // undefined_table
    throw error;
  }
}

function compare(known: MigrationFile[], applied: AppliedMigration[]): MigrationState {
  const appliedByVersion = new Map(applied.map((row) => [row.version, row]));
  const knownVersions = new Set(known.map((file) => file.version));
  return {
    known,
    applied,
    pending: known.filter((file) => !appliedByVersion.has(file.version)),
    changed: known.filter((file) => {
      const row = appliedByVersion.get(file.version);
      return row !== undefined && row.checksum !== file.checksum;
    }),
    unknown: applied.filter((row) => !knownVersions.has(row.version)),
  };
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

const namePattern = /^(\d{4})_[a-z0-9_]+\.sql$/;

function readMigrationFile(folder: string, name: string): MigrationFile {
  const version = Number(namePattern.exec(name)?.[1]);
  if (!version) throw new HoldfastError('migration_failed', `${name} is not named like 0001_lower_case.sql`);
  // Git may check files out with other line ends, which must not change the checksum.
  const sql = readFileSync(join(folder, name), 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n');
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** packages/server/migrations, found from the sources as well as from the bundle in dist. */
export function migrationsFolder(): string {
  for (
    let folder = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));
    ;
    folder = dirname(folder)
  ) {
    const candidate = join(folder, 'migrations');
    if (existsSync(join(folder, 'package.json')) && existsSync(candidate)) return candidate;
    if (folder === dirname(folder))
      throw new HoldfastError('migration_failed', 'the migrations folder is missing');
  }
}
