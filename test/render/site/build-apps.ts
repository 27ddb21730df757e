import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { compile } from 'svelte/compiler';

/** The site's scripts, as bundlers make them of the frameworks: by the name of their file. */
export async function buildApps(): Promise<ReadonlyMap<string, string>> {
  const folder = join(import.meta.dirname, 'apps');
  const bundle = await rolldown({
    input: Object.fromEntries(
      ['shop', 'article', 'docs', 'feed', 'plain'].map((name) => [name, join(folder, `${name}.js`)]),
    ),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'svelte',
        load: (id) =>
          id.endsWith('.svelte')
            ? { code: compile(readFileSync(id, 'utf8'), { filename: id }).js.code, moduleType: 'js' }
            : null,
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])));
}
