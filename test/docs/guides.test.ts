import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTreeSite, type TreeSite } from '../command-line/tree-site.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { markdownFiles, root } from './markdown-files.ts';
import { Reader } from './reader.ts';
import { shellBlocks } from './shell-blocks.ts';

/** Pages whose commands another test runs. */
const runElsewhere: Readonly<Record<string, string>> = {
  'docs/guides/back-up-and-restore.md': 'test/operations/backup.test.ts',
  'docs/guides/rag.md': 'test/examples/rag.test.ts',
};
/** Commands that another test runs, at greater length than there is time for here. */
const commandsElsewhere: Readonly<Record<string, string>> = {
  'holdfast demo': 'test/command-line/demo-command.test.ts',
  'holdfast crawl https://example.com --format md': 'test/command-line/crawl-command.test.ts',
  'holdfast jobs pause': 'test/command-line/jobs-command.test.ts',
  'holdfast crawl https://example.com --(render|screenshot|actions)':
    'test/command-line/crawl-render.test.ts',
  'holdfast pages screenshot': 'test/command-line/crawl-render.test.ts',
};
const guides = readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`);
const quickStarts = ['README.md', 'docs/bots.md', 'docs/policies.md'];
const pages = [...guides, ...quickStarts].filter((page) => !(page in runElsewhere));

let reader: Reader;
let site: TreeSite;
let database: TestDatabase;
beforeAll(async () => {
  site = await startTreeSite(3);
  database = await createTestDatabase({ migrated: false });
  reader = new Reader({
    env: { HOLDFAST_ALLOW_PRIVATE: site.origin, HOLDFAST_ADAPTERS: join(root, 'examples/adapters') },
    instead: {
      'https://example.com': site.origin,
      'https://shop.example': site.origin,
      'postgresql://holdfast:PASSWORD@db.example/holdfast': database.url,
    },
  });
  await reader.up();
});
afterAll(async () => {
  await reader?.leave();
  await site?.close();
  await database?.drop();
});

// In this order: the last one looks at what the others did.
describe('every command works as it stands', { shuffle: false }, () => {
  test.each(pages)('in %s', { timeout: 60_000 }, async (page) => {
    reader.openTerminal();
    for (const { commands } of shellBlocks(page)) {
      for (const command of commands) {
        if (Object.keys(commandsElsewhere).some((other) => new RegExp(`^npx ${other}\\b`).test(command)))
          continue;
        await reader.type(command);
      }
    }
  });

  test('and what they promise is there: a change of price, a valuation', async () => {
    await vi.waitFor(async () => {
      expect(await reader.get('/api/v1/price-changes')).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ previous_price: '39.90', price: '34.90' })]),
      });
    });
    expect(await reader.get('/api/v1/valuations')).toMatchObject({ data: [{ currency: 'USD' }] });
  });
});

test('few blocks of the guides cannot be run, and the test that runs another one is there', () => {
  const notRun = [...quickStarts, ...guides].flatMap((page) => shellBlocks(page, 'console'));
  expect(notRun.length).toBeLessThanOrEqual(10);
  for (const place of [...Object.values(runElsewhere), ...Object.values(commandsElsewhere)])
    expect([place, existsSync(join(root, place))]).toEqual([place, true]);
});

test('a shell command stands in a block that says whether it is run', () => {
  const guidesAndReadme = markdownFiles().filter(
    (page) => page === 'README.md' || page.startsWith('docs/guides/'),
  );
  const unmarked = guidesAndReadme.flatMap((page) =>
    ['bash', 'shell', 'zsh'].flatMap((language) => shellBlocks(page, language as 'sh')),
  );
  expect(unmarked).toEqual([]);
});
