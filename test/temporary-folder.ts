import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterFolder } from '../packages/server/src/base/database/embedded/cluster-folder.ts';
import { isAlive, readPostmaster } from '../packages/server/src/base/database/embedded/postmaster.ts';

const memory = '/dev/shm';
const gibibyte = 1024 ** 3;
/** The tests had 0.6 GB there at a time. */
const enough = { folder: 2 * gibibyte, memory: 4 * gibibyte };

/**
 * One folder for all temporary files of a run, gone at its end. In memory where there is room: most of what tests write are the
 * few hundred files of one database after another, and a file system may be slow at that (ext4 without a journal looks through
 * all files deleted in the last minutes for each that it makes: 0.6 s for a database, in memory 0.08 s).
 */
export default function makeTemporaryFolder(): () => void {
  for (const parent of [memory, tmpdir()]) removeAbandoned(parent);
  const parent = hasRoomInMemory() ? memory : tmpdir();
  const folder = mkdtempSync(join(parent, `holdfast-test-${process.pid}-`));
  chmodSync(folder, 0o755); // mkdtemp closes it to the user of PostgreSQL's server
  process.env.TMPDIR = folder;
  return () => remove(folder);
}

/** Where the test server of a run has its data. */
export const serverFolder = (temporary: string) => join(temporary, 'server');

function hasRoomInMemory(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const mounts = readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ \/dev\/shm tmpfs (\S+)/gm);
    // The last one lies over those before it.
    const options = [...mounts].at(-1)?.[1];
    // Some tests copy programs, and start them there.
    if (!options || options.split(',').some((option) => option === 'ro' || option === 'noexec')) return false;
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough.folder && process.availableMemory() >= enough.memory;
  } catch {
    return false; // another system than Linux, or not for us
  }
}

/** What killed runs left behind: their files, and the servers that work on them. */
function removeAbandoned(parent: string): void {
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const [, maker] = /^holdfast-test-(\d+)-/.exec(name) ?? [];
    // One with our own number is of somebody who had it before us.
    if (!maker || (Number(maker) !== process.pid && isAlive(Number(maker)))) continue;
    const folder = join(parent, name);
    try {
      const server = readPostmaster(clusterFolder(join(serverFolder(folder), 'cluster')));
      if (server) process.kill(server.pid, 'SIGQUIT');
    } catch {
      // Of another user, or another run was faster.
    }
    remove(folder);
  }
}

/** A process that is about to end may still write there; what stays is removed by the next run. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  } catch (error) {
    console.warn(`Left behind: ${folder} (${(error as Error).message})`);
  }
}
