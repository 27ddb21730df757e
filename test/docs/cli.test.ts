import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliPage } from '../../packages/server/src/cli/cli-page.ts';

test('docs/cli.md has every command and option, as `npm run docs` writes it', async () => {
  const text = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  expect(text).toBe(await cliPage());
});
