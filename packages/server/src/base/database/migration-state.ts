import type { ClientBase, Pool } from 'pg';
import { type MigrationFile, migrationsFolder, readMigrationFiles } from './migration-files.ts';

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
  /** Applied once, and different since. */
  readonly changed: readonly MigrationFile[];
  /** Applied by a Holdfast that knows more than this one. */
  readonly unknown: readonly AppliedMigration[];
}

/** How far the database is, without changing it. */
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
