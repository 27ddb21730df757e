import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packs what was built, and unpacks it into the node_modules of a folder: what others get. Answers where it is. */
export async function unpackPackage(built: string, folder: string, name: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, built]);
  const [{ filename }] = JSON.parse(stdout);
  const installed = join(folder, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  return installed;
}
