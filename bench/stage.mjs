import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What a checkout lacks to be measured; undefined: nothing. */
export function lackOf(checkout) {
  return ['packages/server/bin/holdfast.js', 'node_modules'].find(
    (name) => !existsSync(join(checkout, name)),
  );
}

/**
 * A copy of these benchmarks beside the packages of another checkout, so that the same code measures another state of the
 * product. What it saves goes with it.
 */
export function stageBench(checkout) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-other-'));
  const bench = join(folder, 'bench');
  mkdirSync(bench);
  for (const name of ['src', 'benchmarks.mjs', 'package.json'])
    cpSync(own(name), join(bench, name), { recursive: true });
  symlinkSync(own('node_modules'), join(bench, 'node_modules'));
  for (const name of ['packages', 'node_modules'])
    symlinkSync(join(realpathSync(checkout), name), join(folder, name));
  return { bench, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
