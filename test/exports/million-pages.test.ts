import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { startHoldfast } from '../command-line/run-holdfast.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { fillExport } from './fill-export.ts';

const pages = 1_000_000;
const isFull = process.env.HOLDFAST_TEST_FULL === '1' && process.platform === 'linux';

/** Some minutes, so only in the full run. It prints what it measured. */
describe.runIf(isFull)('an export of a million pages', () => {
  let database: TestDatabase;
  let job: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const payload = { url: 'https://example.com/' };
    job = (await enqueueJob(database.pool, { kind: 'crawl', payload })).job.id;
    const paragraph = Array.from({ length: 300 }, (_, n) => `word${(n * 7919) % 1000}`).join(' ');
    await fillExport(database.pool, job, pages, deflateRawSync(`# A page\n\n${paragraph}`));
    return () => database.drop();
  }, 600_000);

  test.each(['jsonl', 'csv', 'warc'])(
    'as %s takes no more memory at its end than at its beginning',
    async (format) => {
      const child = startHoldfast(['export', job, '--format', format, '--out', '-'], {
        DATABASE_URL: database.url,
      });
      const started = performance.now();
      const samples: { bytes: number; rss: number }[] = [];
      let bytes = 0;
      let said = '';
      child.stderr?.on('data', (data) => {
        said += data;
      });
      const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
      for await (const chunk of child.stdout ?? []) {
        bytes += chunk.length;
        if (bytes > (samples.at(-1)?.bytes ?? 0) + 1_000_000)
          samples.push({ bytes, rss: residentMb(child.pid) });
      }
      expect([await closed, said]).toEqual([0, expect.stringContaining('1,000,000 pages')]);
      const seconds = (performance.now() - started) / 1000;
      const atTenth = samples.find((sample) => sample.bytes >= bytes / 10)?.rss ?? 0;
      const atEnd = samples.at(-1)?.rss ?? 0;
      const most = Math.max(...samples.map(({ rss }) => rss));
      console.log(
        JSON.stringify({
          format,
          megabytes: Math.round(bytes / 1e6),
          seconds: Math.round(seconds),
          atTenth,
          atEnd,
          most,
        }),
      );
      expect(atEnd).toBeLessThan(atTenth + 64);
    },
    // WARC packs every record by itself, and the machine may be busy.
    1_800_000,
  );
});

function residentMb(pid = 0): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1000);
}
