import { HoldfastError } from '@holdfast/contract';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import {
  addToSearchPath,
  createDialectViews,
  dropDialectViews,
  hasDialectViews,
  removeDialectViews,
  removeFromSearchPath,
} from './dialect-views.ts';
import {
  type MigrationFile,
  type MigrationState,
  migrationsFolder,
  readMigrationState,
} from './migration-state.ts';

export interface MigrationResult {
  /** Names of the files applied by this call. */
  readonly applied: readonly string[];
  readonly version: number;
}

// 'migrates' in ASCII.
const lock = `x'6d69677261746573'::bigint`;

/** Neither waiting for another process that migrates nor migrating has a time limit. */
const begin = 'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0';
/** Table locks have one: everybody else who needs the table queues behind the request. */
const afterLock = `SET LOCAL lock_timeout = '30s';
  CREATE TABLE IF NOT EXISTS holdfast_migrations (
    version int PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

/** Applies every pending migration in one transaction. Any number of processes may call it at once. */
export async function migrate(pool: Pool, folder: string = migrationsFolder()): Promise<MigrationResult> {
  try {
    const state = await readMigrationState(pool, folder);
    refuse(state);
    if (state.pending.length === 0) return { applied: [], version: versionOf(state) };
    return await withConnection(pool, (client) => applyPending(client, folder));
  } catch (error) {
    throw asMigrationError(error);
  }
}

/** Creates, recreates or removes the views of the source documents in a migrated database. */
export async function changeDialectViews(pool: Pool, wanted: boolean): Promise<void> {
  try {
    await withConnection(pool, async (client) => {
      await lockMigrations(client);
      if (wanted) {
        await createDialectViews(client);
        await addToSearchPath(client);
      } else {
        await removeFromSearchPath(client);
        await removeDialectViews(client);
      }
      await client.query('COMMIT');
    });
  } catch (error) {
    throw asMigrationError(error);
  }
}

function asMigrationError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { message, detail } = error as { message: string; detail?: string };
  return new HoldfastError('migration_failed', detail ? `${message}: ${detail}` : message, { cause: error });
}

async function withConnection<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failed = true;
  try {
    const result = await work(client);
    failed = false;
    return result;
  } finally {
    // After a failure the connection is closed, and the server rolls the transaction back.
    client.release(failed);
  }
}

async function lockMigrations(client: PoolClient): Promise<void> {
  await client.query(begin);
  await client.query(withoutTimeout(`SELECT pg_advisory_xact_lock(${lock})`));
  await client.query(afterLock);
}

async function applyPending(client: PoolClient, folder: string): Promise<MigrationResult> {
  await lockMigrations(client);
  const state = await readMigrationState(client, folder);
  refuse(state);
  const hadViews = state.pending.length > 0 && (await hasDialectViews(client));
  if (hadViews) await dropDialectViews(client);
  for (const file of state.pending) await apply(client, file);
  if (hadViews) await createDialectViews(client);
  await client.query('COMMIT');
  return { applied: state.pending.map((file) => file.name), version: versionOf(state) };
}

async function apply(client: PoolClient, { version, name, checksum, sql }: MigrationFile): Promise<void> {
  try {
    await client.query(withoutTimeout(sql));
  } catch (error) {
    const { message, position } = error as { message: string; position?: string };
    const line = position ? `, line ${lineAt(sql, Number(position))}` : '';
    throw new HoldfastError('migration_failed', `${name}${line}: ${message}`, { cause: error });
  }
  const values = [version, name, checksum];
  await client.query('INSERT INTO holdfast_migrations (version, name, checksum) VALUES ($1, $2, $3)', values);
}

/** PostgreSQL counts characters from 1, JavaScript strings count UTF-16 units. */
function lineAt(sql: string, position: number): number {
  return [...sql].slice(0, position).filter((character) => character === '\n').length + 1;
}

/** Lifts the pool's time limit for a query. */
function withoutTimeout(text: string): QueryConfig {
  return { text, query_timeout: 2 ** 31 - 1 } as QueryConfig;
}

function refuse({ changed, unknown, known }: MigrationState): void {
  const newest = unknown.at(-1);
  if (newest) {
    const ours = known.at(-1)?.name ?? 'none';
    const detail = `the database is at ${newest.name} (version ${newest.version}), this code knows up to ${ours}`;
    throw new HoldfastError('schema_newer', detail);
  }
  if (changed.length > 0) {
    throw new HoldfastError('migration_changed', changed.map((file) => file.name).join(', '));
  }
}

function versionOf({ known }: MigrationState): number {
  return known.at(-1)?.version ?? 0;
}
