import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type ApiDescription, generateSdk } from '../../scripts/generate-sdk.ts';
import { ApiFixture } from '../api-fixture/api-fixture.ts';

const api = new ApiFixture();
const root = fileURLToPath(new URL('../..', import.meta.url));

test('the types and routes of the SDK are those of the OpenAPI document (-u writes them anew)', async () => {
  const document = JSON.parse((await api.call('GET', '/api/openapi.json')).body) as ApiDescription;
  await expect(formatted(generateSdk(document))).toMatchFileSnapshot(
    `${root}/packages/sdk/src/operations.ts`,
  );
});

function formatted(source: string): string {
  const args = ['format', '--stdin-file-path=packages/sdk/src/operations.ts'];
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/biome', args, {
    cwd: root,
    input: source,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
