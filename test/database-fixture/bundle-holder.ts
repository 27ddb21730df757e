import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Node 20 does not run TypeScript: the program of database-holder.ts is bundled into `folder`. Returns its path. */
export async function bundleHolder(root: string, folder: string): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: { holder: 'test/database-fixture/holder-program.ts' },
    external: (id) => !/^[./]|^@holdfast\//.test(id),
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  return join(folder, 'holder.js');
}
