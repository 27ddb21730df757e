import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The browser's account and the prefix of its command; or why it cannot run with its sandbox. */
export type BrowserAccount =
  | { readonly prefix: readonly string[]; readonly uid: number | undefined; readonly gid: number | undefined }
  | { readonly refused: string };

/** The kernel ends the browser with the process that started it, so that none is left when that is killed while it starts one. */
const withItsParent = '--pdeathsig=KILL';

/**
 * Chromium has no sandbox under root, and without one a renderer exploit owns the machine. Under root, the browser
 * therefore runs as `nobody` without capabilities.
 */
export function browserAccount(program: string, searchPath = process.env.PATH ?? ''): BrowserAccount {
  if (process.getuid?.() !== 0) return { prefix: [], uid: undefined, gid: undefined };
  const nobody = userNamed('nobody');
  if (!nobody) return { refused: 'it would run as root, and there is no account `nobody` to run it as' };
  const closed = closedFolder(program);
  if (closed)
    return {
      refused: `it would run as \`nobody\`, who cannot access ${closed}; \`chmod o+x ${closed}\`, or move the browser`,
    };
  const setpriv = searchPath
    .split(delimiter)
    .map((folder) => join(folder, 'setpriv'))
    .find(isExecutable);
  if (!setpriv)
    return {
      refused:
        'it would run as root, and setpriv (util-linux) is missing, so it cannot run as another account',
    };
  const ids = [
    `--reuid=${nobody.uid}`,
    `--regid=${nobody.gid}`,
    '--clear-groups',
    '--inh-caps=-all',
    withItsParent,
  ];
  return { prefix: [setpriv, ...ids, '--'], ...nobody };
}

function userNamed(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return Number(uid) > 0 && Number(gid) > 0 ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

function closedFolder(program: string): string | undefined {
  if ((statSync(program).mode & 0o5) !== 0o5) return program;
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o1) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
