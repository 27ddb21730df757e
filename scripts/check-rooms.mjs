// Holds the imports of the server to one direction: a room imports only the rooms before it, and no file imports itself
// through others. Part of `npm run check`; docs/architecture.md draws the order.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A room may import itself and those before it. */
export const rooms = [
  'base',
  'web',
  'browser',
  'queue',
  'governor',
  'pages',
  'crawl',
  'shop',
  'worker',
  'ops',
  'api',
  'cli',
];

const source = fileURLToPath(new URL('../packages/server/src', import.meta.url));
const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/g;

/** Test code may reach anywhere. */
const isProduct = (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/\/testing\//.test(path);

/** The files that each file of the product imports, by path relative to `folder`. */
export function readImports(folder = source) {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => resolve(folder, name))
    .filter(isProduct);
  return new Map(
    files.map((file) => [
      relative(folder, file),
      [...readFileSync(file, 'utf8').matchAll(importPattern)]
        .map(([, fixed, dynamic]) => resolve(dirname(file), fixed ?? dynamic))
        .filter((target) => target.startsWith(folder) && existsSync(target))
        .map((target) => relative(folder, target)),
    ]),
  );
}

const roomOf = (file) => file.split('/')[0];

export function findUpwardImports(imports) {
  const place = (file) => rooms.indexOf(roomOf(file));
  return [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => place(target) === -1 || place(target) > place(file))
      .map((target) => `${file} imports ${target}`),
  );
}

/** Groups of files that import each other, directly or through others (Tarjan's strongly connected components). */
export function findCycles(imports) {
  const order = new Map();
  const low = new Map();
  const path = [];
  const onPath = new Set();
  const cycles = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    path.push(file);
    onPath.add(file);
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (onPath.has(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = path.splice(path.indexOf(file));
    for (const member of group) onPath.delete(member);
    if (group.length > 1 || imports.get(file)?.includes(file)) cycles.push(group.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const imports = readImports();
  const problems = [
    ...findUpwardImports(imports).map(
      (edge) => `${edge}: a room may import only the rooms before it (${rooms.join(' ')})`,
    ),
    ...findCycles(imports).map((group) => `import cycle: ${group.join(', ')}`),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
