import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCycles, findUpwardImports, readImports } from '../scripts/check-rooms.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-rooms-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Record<string, string>): Map<string, string[]> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return readImports(folder);
}

test('an import of a later room is found, however it is written', () => {
  const imports = write({
    'base/clock.ts': "import type { Job } from '../queue/job.ts';\nexport * from '../web/url.ts';",
    'web/url.ts': "const load = () => import('../queue/job.ts');",
    'queue/job.ts': "import { now } from '../base/clock.ts';",
    'queue/job.test.ts': "import { main } from '../cli/main.ts';",
    'cli/main.ts': '',
  });
  expect(findUpwardImports(imports)).toEqual([
    'base/clock.ts imports queue/job.ts',
    'base/clock.ts imports web/url.ts',
    'web/url.ts imports queue/job.ts',
  ]);
});

test('a room that the order does not name is found', () => {
  const imports = write({ 'cli/main.ts': "import '../attic/old.ts';", 'attic/old.ts': '' });
  expect(findUpwardImports(imports)).toEqual(['cli/main.ts imports attic/old.ts']);
});

test('files that import each other through others are one cycle', () => {
  const imports = write({
    'web/a.ts': "import './b.ts';",
    'web/b.ts': "import { c } from './c.ts';",
    'web/c.ts': "import {\n  type A,\n} from './a.ts';",
    'web/d.ts': "import './a.ts';",
  });
  expect(findCycles(imports)).toEqual([['web/a.ts', 'web/b.ts', 'web/c.ts']]);
});
