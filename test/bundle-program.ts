import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';

/** Node 20 does not run TypeScript: bundles a program that tests start into `folder`, and returns its path. */
export async function bundleProgram(root: string, input: string, folder: string): Promise<string> {
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
