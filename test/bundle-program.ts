import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Node 20 does not run TypeScript: bundles a program that tests start, beside the packages that it needs, and returns its path. */
export async function bundleProgram(input: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input,
    external: (id) => !/^[./]|^@holdfast\//.test(id),
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  return join(folder, basename(input).replace(/\.ts$/, '.js'));
}
