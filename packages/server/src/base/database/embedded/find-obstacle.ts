import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { User } from './server-account.ts';

export interface Obstacle {
  readonly path: string;
  readonly kind: 'folder' | 'program';
}

/** The first thing on the way to these folders and programs that the user cannot enter or run. */
export function findObstacle(
  user: User,
  folders: readonly string[],
  programs: readonly string[],
): Obstacle | undefined {
  // Programs first: a closed program needs the greater capability.
  const program = programs.find((path) => !allows(user, statSync(path), 0o5));
  if (program) return { path: program, kind: 'program' };
  const folder = [...folders, ...programs.map(dirname)]
    .flatMap(withAncestors)
    .find((path) => !allows(user, statSync(path), 0o1));
  return folder ? { path: folder, kind: 'folder' } : undefined;
}

/** `wanted`: bits of one octal digit of a mode. Access lists are not looked at; the answer is then merely too strict. */
function allows({ uid, gid }: User, stat: Stats, wanted: number): boolean {
  const shift = stat.uid === uid ? 6 : stat.gid === gid ? 3 : 0;
  return ((stat.mode >> shift) & wanted) === wanted;
}

function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...withAncestors(parent), path];
}
