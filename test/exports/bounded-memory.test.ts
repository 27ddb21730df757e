import { deflateRawSync } from 'node:zlib';
import { Pool, type QueryConfig } from 'pg';
import { expect, test, vi } from 'vitest';
import { csvFormat, jsonlFormat } from '../../packages/server/src/pages/export/line-formats.ts';
import { PageExporter } from '../../packages/server/src/pages/export/page-exporter.ts';
import { StreamOutput } from '../../packages/server/src/pages/export/stream-output.ts';
import { warcFormat } from '../../packages/server/src/pages/export/warc-format.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { fillExport } from './fill-export.ts';
import { SlowReader } from './slow-reader.ts';

const api = new ListeningApi();
const pages = 3_000;

test.each([
  ['jsonl', jsonlFormat],
  ['csv', csvFormat],
  ['warc', warcFormat({ gzip: true })],
])('an export as %s has no more in hand than one read, however slow its reader', async (_name, format) => {
  const job = await filled();
  const reader = new SlowReader();
  // Rows that were read, less pages that were written: what is in memory.
  let read = 0;
  let most = 0;
  const output = new StreamOutput('a slow reader', reader, format);
  const counted = {
    query: async (query: QueryConfig) => {
      const result = await api.pool.query(query);
      // What else is asked, such as whether the job is still there, holds no page.
      if (query.name !== 'read-pages') return result;
      read += result.rows.length;
      most = Math.max(most, read - output.added.pages);
      return result;
    },
  };
  await output.open({ db: counted as never, jobId: job, anew: true });
  await new PageExporter(counted as never, job, output).finish(true);
  expect(output.added.pages).toBe(pages);
  expect(read).toBe(pages);
  expect(most).toBeLessThanOrEqual(500);
  expect(reader.most).toBeLessThan(100_000);
});

test('an export over HTTP waits for a client that does not read, and is whole when it does', async () => {
  const text = 'x'.repeat(10_000);
  const [job, other] = [await filled(text), await filled(text, false)];
  const queries = vi.spyOn(Pool.prototype, 'query');
  const reads = () =>
    queries.mock.calls.filter(([query]) => {
      const { name, values } = query as unknown as QueryConfig;
      return name === 'read-pages' && values?.[0] === job;
    }).length;
  const whole = async (response: Response) => {
    const exported = await response.text();
    expect([exported.split('\n').length - 1, exported.length > pages * 10_000]).toEqual([pages, true]);
  };
  const response = await api.request(`/api/v1/jobs/${job}/export`);
  // Until it has not read on while another of the same length was read from its beginning to its end.
  let before: number;
  do {
    before = reads();
    await whole(await api.request(`/api/v1/jobs/${other}/export`));
  } while (before === 0 || reads() > before);
  expect(before).toBeLessThan(pages / 500);
  await whole(response);
  expect(reads()).toBeGreaterThan(pages / 500);
  queries.mockRestore();
});

async function filled(text = 'Words of a page. ', anew = true): Promise<string> {
  if (anew)
    await api.pool.query('TRUNCATE crawl_jobs, crawl_states, crawl_pages, crawl_page_contents, job_events');
  const payload = { url: 'https://example.com/' };
  const { job } = await enqueueJob(api.pool, { kind: 'crawl', payload });
  await fillExport(api.pool, job.id, pages, deflateRawSync(text));
  return job.id;
}
