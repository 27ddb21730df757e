/*
 * Crawls a site of documentation and cuts its pages into chunks for retrieval. Run again, it asks the site only for what
 * changed since, and says which chunks are to be embedded anew and which to be forgotten.
 *
 *   npx rolldown examples/rag/ingest.ts --platform node --file ingest.mjs     # Node 20.19 or newer runs that
 *   HOLDFAST_KEY=hf_… node ingest.mjs https://docs.example.com/
 *
 * It writes two files of JSON lines: chunks.jsonl with all chunks, and changes.jsonl with what differs from the run before.
 */
import { Holdfast } from '@holdfast/sdk';
import { type Change, type Chunk, changesBetween, chunksOf, readChunks, writeLines } from './chunk-index.ts';

const { HOLDFAST_URL: baseUrl = 'http://127.0.0.1:7070', HOLDFAST_KEY: apiKey } = process.env;
const [url, chunksFile = 'chunks.jsonl', changesFile = 'changes.jsonl'] = process.argv.slice(2);
if (!apiKey || !url) {
  console.error(
    'HOLDFAST_KEY=hf_… node ingest.mjs URL [chunks.jsonl [changes.jsonl]]; the key is what `holdfast up` printed.',
  );
  process.exit(2);
}

const holdfast = new Holdfast({ baseUrl, apiKey });
const job = await holdfast.jobs.create({ kind: 'crawl', payload: { url, recrawl: true } });
const { status, error_message } = await holdfast.waitFor(job, {
  onProgress: ({ done, pending }) => console.error(`${done} pages, ${pending} to go`),
});
if (status !== 'completed') {
  console.error(`The crawl is ${status}: ${error_message}. The chunks are left as they were.`);
  process.exit(1);
}

const before = await readChunks(chunksFile);
const chunks: Chunk[] = [];
const changes: Change[] = [];
const counts = { new: 0, changed: 0, unchanged: 0, gone: 0 };
for await (const page of holdfast.jobs.exportPages(job.id)) {
  const old = before.get(page.url);
  before.delete(page.url);
  // Compares hashes instead of using `change`, so that a run killed between crawl and file is caught up by the next.
  const isSame = old?.[0]?.page_hash === page.content_hash;
  const now = old && isSame ? old : chunksOf(page);
  chunks.push(...now);
  changes.push(...changesBetween(old ?? [], now));
  counts[old ? (isSame ? 'unchanged' : 'changed') : 'new']++;
}

// A page that failed this time is not gone.
for await (const page of holdfast.jobs.pages(job.id, { outcome: 'failed' })) {
  const old = before.get(page.url);
  if (!old || page.status === 404 || page.status === 410) continue;
  before.delete(page.url);
  chunks.push(...old);
  counts.unchanged++;
}
for (const old of before.values()) {
  changes.push(...changesBetween(old, []));
  counts.gone++;
}

// Changes first: if the process is killed in between, the next run reports them again.
writeLines(changesFile, changes);
writeLines(chunksFile, chunks);
const upserts = changes.filter(({ op }) => op === 'upsert').length;
console.log(
  `${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged and ${counts.gone} gone pages: ` +
    `${chunks.length} chunks, ${upserts} to embed, ${changes.length - upserts} to forget.`,
);
