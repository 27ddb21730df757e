import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return stateOf(pid) !== 'Z';
}

/** Sends a signal to one process, if it is still there. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** How long ago a process was started, to the hundredth of a second; 0 when it is gone. */
export function ageMs(pid: number): number {
  const started = statOf(pid)[19];
  if (started === undefined) return 0;
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Math.max(0, Math.round(uptime * 1000 - Number(started) * 10));
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[0];
}

/** Processes that this one started and that still run. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const [state, ppid] = statOf(pid);
      return Number(ppid) === parent && state !== 'Z';
    });
}

/** Which of these processes has the end of a TCP connection on loopback that the other side sees as `port`. */
export function ownerOfPort(port: number, candidates: readonly number[]): number | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find((fields) => fields[1]?.endsWith(`:${hex}`));
  if (!line) return undefined;
  const link = `socket:[${line[9]}]`;
  return candidates.find((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === link);
    } catch {
      return false;
    }
  });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
