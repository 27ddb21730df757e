import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import type { Obstacle } from './find-obstacle.ts';
import type { User } from './server-account.ts';

// Bits of capabilities(7) in /proc/self/status.
const capabilityBits = { dac_override: 1n, dac_read_search: 2n } as const;

/** The command to put before another one, so that it runs as `user` and yet gets past the obstacle. */
export function grantAccess(
  { uid, gid }: User,
  obstacle: Obstacle,
  searchPath = process.env.PATH ?? '',
): { file: string; args: string[] } {
  const setpriv = searchPath
    .split(delimiter)
    .map((folder) => join(folder, 'setpriv'))
    .find(isExecutable);
  const capability = availableCapability(obstacle);
  if (!setpriv || !capability) {
    throw new HoldfastError(
      'data_folder_bad',
      `PostgreSQL cannot run as root, and the user it would run as (uid ${uid}) may not enter ${obstacle.path}`,
      {
        hint: `Run Holdfast as another user than root, \`chmod o+x ${obstacle.path}\`, install setpriv (util-linux), or set DATABASE_URL.`,
      },
    );
  }
  const grant = `+${capability}`;
  // initdb looks for its programs with access(2), which forgets capabilities of users other than root unless this bit
  // is set. It changes nothing else: at exec such a user keeps the ambient capabilities alone.
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'];
  return { file: setpriv, args: [...ids, `--inh-caps=${grant}`, `--ambient-caps=${grant}`, '--'] };
}

/**
 * dac_read_search enters folders and reads, dac_override also writes and executes. The first is enough unless a
 * program itself is closed; containers (Docker's default set) have only the second.
 */
function availableCapability({ kind }: Obstacle): keyof typeof capabilityBits | undefined {
  const held = BigInt(`0x${/^CapPrm:\s*(\w+)$/m.exec(readStatus())?.[1] ?? '0'}`);
  const wanted =
    kind === 'folder' ? (['dac_read_search', 'dac_override'] as const) : (['dac_override'] as const);
  return wanted.find((name) => (held >> capabilityBits[name]) & 1n);
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return ''; // Not Linux: there are no capabilities to give.
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
