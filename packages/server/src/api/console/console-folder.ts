import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built console lies: beside the bundle, or in the package's dist when the sources run as they are. */
export function consoleFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return undefined;
    folder = dirname(folder);
  }
  const console = join(folder, 'dist/console');
  return existsSync(join(console, 'index.html')) ? console : undefined;
}
