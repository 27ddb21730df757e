import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { serverFolder } from '../temporary-folder.ts';
import { bundleHolder } from './bundle-holder.ts';
import { createTemplate } from './template-database.ts';
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
const log = pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' });

/** One server for all tests of a run. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  await buildBundle();
  // Below the packages that it needs.
  const programFolder = join(root, `node_modules/.cache/holdfast-test-${process.pid}`);
  const holderProgram = await bundleHolder(root, programFolder);
  const database = await openTestServer(serverFolder(tmpdir()), log);
  project.provide('databaseUrl', database.url);
  project.provide('templateDatabase', await createTemplate(database, log));
  project.provide('holderProgram', holderProgram);
  return async () => {
    await database.close();
    rmSync(programFolder, { recursive: true, force: true });
  };
}

async function buildBundle(): Promise<void> {
  const entries = ['main.ts', 'generate-docs.ts'].map((name) => join(root, 'packages/server/src/cli', name));
  const missing = entries.filter((entry) => !existsSync(entry));
  const { href } = new URL('../../scripts/build.mjs', import.meta.url);
  if (missing.length === 0) await (await import(href)).buildIfStale();
  else console.warn(`The bundle was not built, for want of ${missing.join(', ')}`);
}
