import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, so that none of them is left running alone at the end. The rest follow as they come. */
const longest = ['test/chaos/', 'test/crawl/', 'test/console/', 'test/command-line/', 'test/'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(import.meta.dirname, moduleId);
      const index = longest.findIndex((folder) => path.startsWith(folder));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/database-fixture/global-setup.ts', 'test/console/unpack-browser.ts'],
    // Processes, not threads: tests change the working folder and send signals.
    pool: 'forks',
    maxWorkers: 3,
    // Files share a process: loading everything anew for each of them took a fifth of the time of all tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Real servers and processes; a test that waits for a signal that never comes fails after this.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
