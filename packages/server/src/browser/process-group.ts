import { readdirSync, readFileSync } from 'node:fs';

const pageBytes = 4096;

/** Kills every process of the group with SIGKILL. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The private memory of the group's processes. Undefined if the system does not report it. */
export function groupMemory(leader: number): number | undefined {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  return pids.reduce((sum, pid) => sum + (groupOf(pid) === leader ? privateMemory(pid) : 0), 0);
}

function groupOf(pid: string): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

function privateMemory(pid: string): number {
  const [, resident = '0', shared = '0'] = read(`/proc/${pid}/statm`)?.split(' ') ?? [];
  return (Number(resident) - Number(shared)) * pageBytes;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
