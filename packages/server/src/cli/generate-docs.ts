// Writes the pages of docs/ that restate the contract. A test holds them to it.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference-pages.ts';

const docs = new URL('../../../docs/', import.meta.url);
for (const [name, text] of Object.entries(referencePages())) {
  const path = fileURLToPath(new URL(name, docs));
  writeFileSync(path, text);
  console.log(`wrote docs/${name}`);
}
