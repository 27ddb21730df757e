// Writes the pages of docs/ that restate the contract and the commands. Tests hold them to it.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cliPage } from './docs/cli-page.ts';
import { referencePages } from './docs/reference-pages.ts';

const docs = new URL('../../../docs/', import.meta.url);
for (const [name, text] of Object.entries({ ...referencePages(), 'cli.md': await cliPage() })) {
  const path = fileURLToPath(new URL(name, docs));
  writeFileSync(path, text);
  console.log(`wrote docs/${name}`);
}
