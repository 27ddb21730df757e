import { accessSync, chownSync, constants, readFileSync, type Stats, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { HoldfastError } from '@holdfast/contract';

interface ServerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** The user that the server programs run as. */
export interface ServerAccount {
  /** Makes that user the owner of a file or folder. */
  own(path: string): void;
  command(file: string, args: readonly string[]): ServerCommand;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Obstacle {
  readonly path: string;
  readonly kind: 'folder' | 'program';
}

const ourselves: ServerAccount = { own: () => undefined, command: (file, args) => ({ file, args }) };

/**
 * PostgreSQL refuses to run as root, the user of most containers. Its programs then run as the owner of the data, or for new
 * data as `postgres` or `nobody`. That user often cannot reach the folders (/root, a `mktemp -d`), so it gets the one
 * capability that it lacks for that, and nothing else.
 */
export function serverAccount(
  data: string,
  folders: readonly string[],
  programs: readonly string[],
): ServerAccount {
  if (process.getuid?.() !== 0) return ourselves;
  const user = ownerOf(data) ?? unprivilegedUser();
  const own = (path: string) => chownSync(path, user.uid, user.gid);
  const obstacle = findObstacle(user, folders, programs);
  if (!obstacle) return { own, command: (file, args) => ({ file, args, ...user }) };
  const prefix = grantAccess(user, obstacle);
  return { own, command: (file, args) => ({ file: prefix.file, args: [...prefix.args, file, ...args] }) };
}

function ownerOf(path: string): User | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

function unprivilegedUser(): User {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody']
    .map((name) => entries.find((fields) => fields[0] === name))
    .find(Boolean);
  const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
  if (uid > 0 && gid > 0) return { uid, gid };
  throw new HoldfastError(
    'embedded_unsupported',
    'PostgreSQL cannot run as root, and /etc/passwd has no user postgres or nobody',
    { hint: 'Run Holdfast as another user than root, or set DATABASE_URL to a PostgreSQL server.' },
  );
}

/** The first folder or program on the path to these that the user cannot enter or run. */
function findObstacle(
  user: User,
  folders: readonly string[],
  programs: readonly string[],
): Obstacle | undefined {
  // Programs first: they need the greater capability.
  const program = programs.find((path) => !allows(user, statSync(path), 0o5));
  if (program) return { path: program, kind: 'program' };
  const folder = [...folders, ...programs.map(dirname)]
    .flatMap(withAncestors)
    .find((path) => !allows(user, statSync(path), 0o1));
  return folder ? { path: folder, kind: 'folder' } : undefined;
}

/** `wanted`: bits of one octal digit of a mode. Access control lists are ignored, which only makes the answer too strict. */
function allows({ uid, gid }: User, stat: Stats, wanted: number): boolean {
  const shift = stat.uid === uid ? 6 : stat.gid === gid ? 3 : 0;
  return ((stat.mode >> shift) & wanted) === wanted;
}

function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...withAncestors(parent), path];
}

// Bits of capabilities(7) in /proc/self/status.
const capabilityBits = { dac_override: 1n, dac_read_search: 2n } as const;

/** The command to put before another, which runs it as `user` with the capability to pass the obstacle. */
function grantAccess(
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
  // initdb looks for its programs with access(2), which ignores capabilities of users other than root unless this bit is set.
  // It has no other effect: at exec such a user keeps only the ambient capabilities.
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'];
  return { file: setpriv, args: [...ids, `--inh-caps=${grant}`, `--ambient-caps=${grant}`, '--'] };
}

/**
 * dac_read_search allows to enter folders and read, dac_override also to write and execute. The first is enough for a folder;
 * containers have only the second (Docker's default set).
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
    return ''; // Not Linux: no capabilities to grant.
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
