import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { bundleHolder } from './bundle-holder.ts';
import { createTemplate, dropAbandoned } from './template-database.ts';
import { openTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Database `holdfast` of the test server; tests work in databases of their own (createTestDatabase). */
    databaseUrl: string;
    templateDatabase: string;
    /** The program of database-holder.ts. */
    holderProgram: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/holdfast-test');
const log = pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' });

/** One server for all tests; several runs at once share it, each with databases named after its pid. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  await buildBundle();
  const runFolder = join(cache, `run-${process.pid}`);
  const holderProgram = await bundleHolder(root, runFolder);
  const database = await openTestServer(join(cache, 'data'), log);
  await dropAbandoned(database.pool);
  const template = await createTemplate(database, log);
  project.provide('databaseUrl', database.url);
  project.provide('templateDatabase', template);
  project.provide('holderProgram', holderProgram);
  return async () => {
    await database.pool.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    await database.close();
    rmSync(runFolder, { recursive: true, force: true });
  };
}

async function buildBundle(): Promise<void> {
  const entries = ['main.ts', 'generate-docs.ts'].map((name) => join(root, 'packages/server/src/cli', name));
  const missing = entries.filter((entry) => !existsSync(entry));
  const { href } = new URL('../../scripts/build.mjs', import.meta.url);
  if (missing.length === 0) await (await import(href)).buildIfStale();
  else console.warn(`The bundle was not built, for want of ${missing.join(', ')}`);
}
