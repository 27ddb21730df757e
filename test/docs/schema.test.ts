import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../database-fixture/create-test-database.ts';
import { columnNotes } from './column-notes.ts';
import { schemaPage } from './schema-page.ts';
import { tablePurposes } from './table-purposes.ts';

test('docs/schema.md says what a migrated database has (written anew with -u)', async () => {
  const database = await createTestDatabase();
  try {
    const file = fileURLToPath(new URL('../../docs/schema.md', import.meta.url));
    const page = await schemaPage(database.pool);
    expect([...page.matchAll(/^\| \[`(\w+)`\]\(#\1\) \| +\|$/gm)].map(([, table]) => table)).toEqual([]);
    for (const table of Object.keys(tablePurposes)) expect(page).toContain(`\n## ${table}\n`);
    for (const [column, note] of Object.entries(columnNotes))
      expect([column, page.includes(`| ${note} |`)]).toEqual([column, true]);
    await expect(page).toMatchFileSnapshot(file);
  } finally {
    await database.drop();
  }
});
