import { chownSync, readFileSync, statSync } from 'node:fs';
import { HoldfastError } from '@holdfast/contract';
import { findObstacle } from './find-obstacle.ts';
import { grantAccess } from './grant-access.ts';

export interface ServerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Who the server programs run as. */
export interface ServerAccount {
  /** Gives a file or folder to that user. */
  own(path: string): void;
  command(file: string, args: readonly string[]): ServerCommand;
}

const ourselves: ServerAccount = { own: () => undefined, command: (file, args) => ({ file, args }) };

/**
 * PostgreSQL refuses to run as root, which we are in most containers. Its programs then run as the owner of the data,
 * or for new data as `postgres` or `nobody`. That user often cannot reach our folders (/root, a `mktemp -d`), so it
 * gets the one capability it lacks for that, and nothing else of root's.
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

export interface User {
  readonly uid: number;
  readonly gid: number;
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
