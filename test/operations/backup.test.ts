import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHoldfast } from '../command-line/run-holdfast.ts';
import { startTreeSite, type TreeSite } from '../command-line/tree-site.ts';
import { Reader } from '../docs/reader.ts';
import { type ShellBlock, shellBlocks } from '../docs/shell-blocks.ts';
import { findPostgresql, type Postgresql, startPostgresql } from './start-postgresql.ts';

const programs = findPostgresql();
if (!programs)
  console.warn('PostgreSQL with pg_dump is not installed: its dump and restore are not tested here');

const pages = 40;
const guide = shellBlocks('docs/guides/back-up-and-restore.md');
let site: TreeSite;
let reader: Reader;
let server: Postgresql | undefined;
beforeEach(async () => {
  site = await startTreeSite(pages, 60);
});
afterEach(async () => {
  await reader.leave();
  await server?.stop();
  server = undefined;
  await site.close();
});

/** The two blocks below a heading: how to back up, and how to restore. */
function blocksUnder(heading: string): [ShellBlock, ShellBlock] {
  const [backUp, restore, ...more] = guide.filter((block) => block.heading === heading);
  if (!backUp || !restore || more.length > 0)
    throw new Error(`the guide has other blocks under "${heading}"`);
  return [backUp, restore];
}

async function typeAll({ commands }: ShellBlock): Promise<string> {
  let printed = '';
  for (const command of commands) printed += await reader.type(command);
  return printed;
}

function startCrawl(out: string, env: Record<string, string> = {}): ChildProcess {
  const origin = site.origin;
  const args = [
    'crawl',
    `${origin}/`,
    '--allow-private',
    origin,
    '--no-discover',
    '--concurrency',
    '2',
    '--out',
    out,
  ];
  return startHoldfast([...args, '--quiet'], env, reader.folder);
}

async function ended(crawl: ChildProcess): Promise<number | null> {
  let said = '';
  crawl.stderr?.on('data', (data) => {
    said += data;
  });
  const [exit] = (await once(crawl, 'close')) as [number | null];
  if (exit === 1) throw new Error(said);
  return exit;
}

function urlsIn(out: string): string[] {
  const lines = readFileSync(join(reader.folder, out), 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { url: string }).url);
}

test('a copy of the stopped folder is a backup: after the restore the crawl goes on where it was', async () => {
  reader = new Reader();
  const [backUp, restore] = blocksUnder('The embedded database');
  const crawl = startCrawl('pages.jsonl');
  await site.asked(12);
  crawl.kill('SIGINT');
  await ended(crawl);
  await typeAll(backUp);
  const before = new Map(site.timesAsked());
  expect(before.size).toBeLessThan(pages);
  // What happens after the backup is lost with the folder.
  await reader.type('holdfast jobs create crawl https://example.com/ --priority 7');
  expect(await typeAll(restore)).toMatch(/invariant 8/);
  expect(JSON.parse(await reader.type('holdfast jobs list --json'))).toHaveLength(1);
  expect(await ended(startCrawl('pages.jsonl'))).toBe(0);
  expect(new Set(urlsIn('pages.jsonl')).size).toBe(pages);
  expect(urlsIn('pages.jsonl')).toHaveLength(pages);
  for (const [path, times] of before) expect([path, site.timesAsked().get(path)]).toEqual([path, times]);
}, 60_000);

test.runIf(programs)(
  'a dump of the running database is a backup: what it has is not asked for again',
  async () => {
    server = await startPostgresql(programs ?? '');
    const databases = {
      DATABASE_URL: await server.url('holdfast'),
      RESTORED_URL: await server.url('restored'),
    };
    reader = new Reader({ env: { ...databases, PATH: `${programs}:${process.env.PATH}` } });
    const [backUp, restore] = blocksUnder('Your own PostgreSQL');
    const crawl = startCrawl('pages.jsonl', databases);
    await site.asked(20);
    await typeAll(backUp);
    crawl.kill('SIGKILL');
    await ended(crawl);
    expect(await typeAll(restore)).toMatch(/invariant 8/);
    const restored = { DATABASE_URL: databases.RESTORED_URL };
    const query = `SELECT url FROM crawl_pages WHERE status = 200`;
    const saved = spawnSync(join(programs ?? '', 'psql'), [restored.DATABASE_URL, '-Atc', query], {
      encoding: 'utf8',
    });
    const paths = saved.stdout
      .trim()
      .split('\n')
      .map((url) => new URL(url).pathname);
    expect(paths.length).toBeGreaterThan(0);
    expect(await ended(startCrawl('restored.jsonl', restored))).toBe(0);
    expect(urlsIn('restored.jsonl').toSorted()).toEqual([...new Set(urlsIn('restored.jsonl'))].toSorted());
    expect(urlsIn('restored.jsonl')).toHaveLength(pages);
    for (const path of paths) expect([path, site.timesAsked().get(path)]).toEqual([path, 1]);
  },
  60_000,
);
