import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { bundleProgram } from '../bundle-program.ts';
import { serverFolder } from '../temporary-folder.ts';
import { createTemplate, dropDatabases } from './template-database.ts';
import { openTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where databases are made and dropped; tests work in databases of their own (createTestDatabase). */
    databaseUrl: string;
    templateDatabase: string;
    /** How CREATE DATABASE copies the template. */
    copyStrategy: string;
    /** The program of database-holder.ts. */
    holderProgram: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const log = pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' });

/** One server for all tests of a run: that of DATABASE_URL, or an embedded one. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  await buildBundle();
  const database = await openTestServer(serverFolder(tmpdir()), log);
  project.provide('databaseUrl', database.url);
  project.provide('templateDatabase', await createTemplate(database, log));
  // PostgreSQL 14 has no other way.
  project.provide(
    'copyStrategy',
    Number.parseInt(database.serverVersion, 10) < 15 ? '' : 'STRATEGY FILE_COPY',
  );
  project.provide('holderProgram', await bundleProgram('test/database-fixture/holder-program.ts'));
  return async () => {
    await dropDatabases(database);
    await database.close();
  };
}

async function buildBundle(): Promise<void> {
  const entries = ['main.ts', 'generate-docs.ts'].map((name) => join(root, 'packages/server/src/cli', name));
  const missing = entries.filter((entry) => !existsSync(entry));
  const { href } = new URL('../../scripts/build.mjs', import.meta.url);
  if (missing.length === 0) await (await import(href)).buildIfStale();
  else console.warn(`The bundle was not built, for want of ${missing.join(', ')}`);
}
