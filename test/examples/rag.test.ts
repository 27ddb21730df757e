import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change, Chunk } from '../../examples/rag/chunk-index.ts';
import { chunkMarkdown } from '../../examples/rag/chunk-markdown.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { Reader } from '../docs/reader.ts';
import { shellBlocks } from '../docs/shell-blocks.ts';

/** What the site has now: the sections of each page. */
const pages: Record<string, readonly (readonly [heading: string, text: string])[]> = {
  '/': [['Start', 'Where to begin with it.']],
  '/install': [
    ['From npm', 'Type npm install.'],
    ['From source', 'Clone the repository.'],
  ],
  '/usage': [['Basics', 'Call it.']],
  '/legacy': [['Old', 'Of no use.']],
};
/** Pages that are broken for now. */
const broken = new Set<string>();
let notModified = 0;

let site: LocalSite;
let reader: Reader;
beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = request.url ?? '/';
    const sections = pages[path];
    if (!sections) return response.writeHead(404).end();
    if (broken.has(path)) return response.writeHead(403).end();
    const etag = `"${Buffer.from(JSON.stringify([sections, Object.keys(pages)])).toString('base64url')}"`;
    if (request.headers['if-none-match'] === etag) {
      notModified++;
      return response.writeHead(304).end();
    }
    const links = path === '/' ? Object.keys(pages).map((link) => `<a href="${link}">to ${link}</a>`) : [];
    const body = sections
      .map(([heading, text]) => `<h2>${heading}</h2><p>${`${text} `.repeat(5)}</p>`)
      .join('');
    response.setHeader('etag', etag).setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><title>${path}</title><nav>${links.join(' ')}</nav><main><h1>Page ${path}</h1>${body}</main>`,
    );
  });
  reader = new Reader({
    env: { HOLDFAST_ALLOW_PRIVATE: site.origin },
    instead: { 'http://127.0.0.1:7071': site.origin },
  });
  await reader.up();
});
afterAll(async () => {
  await reader?.leave();
  await site?.close();
});

function lines<Line>(name: string): Line[] {
  const text = readFileSync(join(reader.folder, name), 'utf8').trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

const places = (chunks: readonly Chunk[]) =>
  chunks.map(({ url, headings }) => [new URL(url).pathname, ...headings].join(' > ')).sort();

test('the guide crawls a site, and tells an index only what changed since', { timeout: 60_000 }, async () => {
  const [see, bundle, first, again, ...others] = shellBlocks('docs/guides/rag.md').flatMap(
    ({ commands }) => commands,
  );
  expect(others).toEqual([]);
  await reader.type(see ?? '');
  expect(readFileSync(join(reader.folder, 'pages/_contents.md'), 'utf8')).toContain('](install.md)');

  await reader.type(bundle ?? '');
  expect(await reader.type(first ?? '')).toBe(
    '4 new, 0 changed, 0 unchanged and 0 gone pages: 5 chunks, 5 to embed, 0 to forget.\n',
  );
  const before = lines<Chunk>('chunks.jsonl');
  expect(places(before)).toEqual([
    '/ > Page / > Start',
    '/install > Page /install > From npm',
    '/install > Page /install > From source',
    '/legacy > Page /legacy > Old',
    '/usage > Page /usage > Basics',
  ]);

  pages['/install'] = [
    ['From npm', 'Type npm install.'],
    ['From source', 'Clone it, and build it.'],
  ];
  delete pages['/legacy'];
  broken.add('/usage');
  notModified = 0;
  expect(await reader.type(again ?? '')).toBe(
    '0 new, 1 changed, 2 unchanged and 1 gone pages: 4 chunks, 1 to embed, 1 to forget.\n',
  );
  const after = lines<Chunk>('chunks.jsonl');
  const idOf = (chunks: readonly Chunk[], heading: string) =>
    chunks.find(({ headings }) => headings.at(-1) === heading)?.id;
  expect(lines<Change>('changes.jsonl').sort((a, b) => (a.op < b.op ? -1 : 1))).toEqual([
    { op: 'delete', id: idOf(before, 'Old') },
    {
      op: 'upsert',
      id: idOf(before, 'From source'),
      chunk: after.find(({ headings }) => headings.at(-1) === 'From source'),
    },
  ]);

  broken.clear();
  await reader.type(again ?? '');
  notModified = 0;
  expect(await reader.type(again ?? '')).toContain('0 to embed, 0 to forget');
  expect(lines('changes.jsonl')).toEqual([]);
  expect(notModified).toBe(3);
});

test('pages are cut at headings, and long sections between paragraphs, never inside code', () => {
  const code = `\`\`\`sh\n# not a heading\n\n${'echo a\n'.repeat(400)}\`\`\``;
  const long = Array.from({ length: 5 }, (_, n) => `${n} ${'word '.repeat(150)}`.trim());
  const cut = chunkMarkdown(
    `Before all.\n\n# A [link](https://e.com)\n## B\n${code}\n### C\n\n${long.join('\n\n')}\n\n## D\n\nEnd.`,
  );
  expect(cut.map(({ headings, text }) => [headings.join('/'), text.slice(0, 5), text.length])).toEqual([
    ['', 'Befor', 11],
    ['A link/B', '```sh', code.length],
    ['A link/B/C', long[0]?.slice(0, 5), (long[0]?.length ?? 0) * 2 + 2],
    ['A link/B/C', long[2]?.slice(0, 5), (long[0]?.length ?? 0) * 2 + 2],
    ['A link/B/C', long[4]?.slice(0, 5), long[4]?.length],
    ['A link/D', 'End.', 4],
  ]);
});
