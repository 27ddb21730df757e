import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { type Outcome, runHoldfast, startHoldfast } from './run-holdfast.ts';
import type { TreeSite } from './tree-site.ts';

/** `holdfast crawl` in an empty folder, with a database of its own; what a test leaves behind is ended after it. */
export class CrawlCommandFixture {
  database!: TestDatabase;
  folder = '';
  /** Set by each test that has one. */
  site!: TreeSite;
  readonly #children: ChildProcess[] = [];

  constructor() {
    beforeAll(async () => {
      this.database = await createTestDatabase();
    });
    afterAll(() => this.database.drop());
    beforeEach(() => {
      this.folder = mkdtempSync(join(tmpdir(), 'holdfast-crawl-'));
    });
    afterEach(async () => {
      for (const child of this.#children.splice(0)) await killAll(child);
      await this.site?.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  get env() {
    return { DATABASE_URL: this.database.url };
  }

  run(args: readonly string[]): Promise<Outcome> {
    return runHoldfast([...args], this.env, this.folder);
  }

  start(args: readonly string[]): ChildProcess {
    const child = startHoldfast([...args], this.env, this.folder);
    this.#children.push(child);
    return child;
  }

  crawl(...options: string[]): Promise<Outcome> {
    return this.run(this.#crawlOf(options));
  }

  startCrawl(...options: string[]): ChildProcess {
    return this.start(this.#crawlOf(options));
  }

  #crawlOf(options: readonly string[]): string[] {
    const { origin } = this.site;
    return ['crawl', `${origin}/`, '--allow-private', origin, '--no-discover', ...options];
  }
}

/** kill -9 of a command and of the runners it started. */
export async function killAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const runners = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  for (const pid of runners.filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
  await exited;
}
