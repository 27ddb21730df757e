import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cliPage } from '../../packages/server/src/cli/docs/cli-page.ts';

test('docs/cli.md has every command and option, as `npm run docs` writes it (or -u)', async () => {
  const file = fileURLToPath(new URL('../../docs/cli.md', import.meta.url));
  await expect(await cliPage()).toMatchFileSnapshot(file);
});
