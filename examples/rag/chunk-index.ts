import { hash } from 'node:crypto';
import { createReadStream, existsSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ExportedPage } from '@holdfast/sdk';
import { chunkMarkdown } from './chunk-markdown.ts';

/** The text to embed and search. */
export interface Chunk {
  /** Stays the same while the chunk keeps its place on the page. */
  readonly id: string;
  readonly url: string;
  readonly title: string | null;
  readonly headings: readonly string[];
  readonly text: string;
  /** Hash of headings and text: a chunk with the same hash is already embedded. */
  readonly hash: string;
  /** Hash of its page. */
  readonly page_hash: string | null;
}

export interface Change {
  readonly op: 'upsert' | 'delete';
  readonly id: string;
  readonly chunk?: Chunk;
}

export function chunksOf({ url, title, markdown, content_hash }: ExportedPage): Chunk[] {
  const places = new Map<string, number>();
  return chunkMarkdown(markdown ?? '').map(({ headings, text }) => {
    const path = headings.join(' > ');
    const place = places.get(path) ?? 0;
    places.set(path, place + 1);
    const id = hash('sha256', `${url}\n${path}\n${place}`).slice(0, 32);
    return {
      id,
      url,
      title,
      headings,
      text,
      hash: hash('sha256', `${path}\n${text}`),
      page_hash: content_hash,
    };
  });
}

/** The chunks of an earlier run, by page. */
export async function readChunks(path: string): Promise<Map<string, Chunk[]>> {
  const byPage = new Map<string, Chunk[]>();
  if (!existsSync(path)) return byPage;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const chunk = JSON.parse(line) as Chunk;
    const chunks = byPage.get(chunk.url);
    if (chunks) chunks.push(chunk);
    else byPage.set(chunk.url, [chunk]);
  }
  return byPage;
}

/** The changes that turn an index of the old chunks into one of the new chunks. */
export function changesBetween(before: readonly Chunk[], after: readonly Chunk[]): Change[] {
  const had = new Map(before.map((chunk) => [chunk.id, chunk.hash]));
  const has = new Set(after.map(({ id }) => id));
  return [
    ...before.filter(({ id }) => !has.has(id)).map(({ id }): Change => ({ op: 'delete', id })),
    ...after
      .filter((chunk) => had.get(chunk.id) !== chunk.hash)
      .map((chunk): Change => ({ op: 'upsert', id: chunk.id, chunk })),
  ];
}

/** Writes atomically. */
export function writeLines(path: string, records: readonly object[]): void {
  writeFileSync(`${path}.new`, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  renameSync(`${path}.new`, path);
}
