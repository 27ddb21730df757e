import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { unitTests } from './test/unit-tests.ts';

/** Of those that start processes the longest first, so that none of them is left running alone at the end. */
const longest = ['test/chaos/', 'test/crawl/', 'test/console/', 'test/command-line/', 'test/'];

/**
 * Between them come the others, evenly: with three files side by side that start worker after worker, 20 to 40 processes waited
 * for two processors, and a crawl took longer than its test waits.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    if (shuffle) return shuffled(files, seed);
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(import.meta.dirname, moduleId);
      const index = longest.findIndex((folder) => path.startsWith(folder));
      return index === -1 ? longest.length : index;
    };
    const sorted = (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
    const isLong = (file: TestSpecification) => rank(file) < longest.length;
    // The long ones begin a little sooner: the short ones fill up the end.
    const placed = [
      ...spread(sorted.filter(isLong), 0.85),
      ...spread(
        sorted.filter((file) => !isLong(file)),
        1,
      ),
    ];
    return placed.sort((a, b) => a.at - b.at).map(({ file }) => file);
  }
}

function shuffled(files: readonly TestSpecification[], seed: number) {
  const place = ({ moduleId }: TestSpecification) =>
    createHash('sha256')
      .update(`${seed} ${relative(import.meta.dirname, moduleId)}`)
      .digest('hex');
  return files.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

function spread(files: readonly TestSpecification[], until: number) {
  return files.map((file, index) => ({ file, at: (index / files.length) * until }));
}

/** `vitest --mode unit` runs those that need neither processes nor a database; it is what `npm run test:unit` does. */
export default defineConfig(({ mode }) => {
  const isUnit = mode === 'unit';
  return {
    test: {
      include: isUnit
        ? unitTests(import.meta.dirname)
        : ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts'],
      // One after the other: the browser is kept between runs, in the system's folder of temporary files; the rest is not.
      globalSetup: isUnit
        ? ['test/temporary-folder.ts']
        : [
            'test/console/unpack-browser.ts',
            'test/temporary-folder.ts',
            'test/database-fixture/global-setup.ts',
          ],
      // Processes, not threads: tests change the working folder and send signals.
      pool: 'forks',
      maxWorkers: 3,
      // Files share a process: loading everything anew for each of them took a fifth of the time of all tests.
      isolate: false,
      sequence: { sequencer: LongestFirst },
      // Real servers and processes; a test that waits for a signal that never comes fails after this. There is
      // room for a machine that is slow, or busy with other things.
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
  };
});
