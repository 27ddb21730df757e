import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/database-fixture/global-setup.ts',
    // Processes, not threads: tests change the working folder and send signals.
    pool: 'forks',
    maxWorkers: 2,
    // Files share a process: loading everything anew for each of them took a fifth of the time of all tests.
    isolate: false,
    // Real servers and processes; a test that waits for a signal that never comes fails after this.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
