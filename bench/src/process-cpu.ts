import { readdirSync, readFileSync } from 'node:fs';

/** What /proc counts in, on every Linux. */
const ticksPerSecond = 100;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended and were waited for. */
  readonly reaped: number;
}

/** Seconds of CPU that a process has used so far; undefined when it is not there (any more). */
export function cpuSeconds(pid: number | undefined): number | undefined {
  return pid === undefined ? undefined : readTimes(pid)?.own;
}

/** The same with all its descendants, those that have ended included. */
export function treeCpuSeconds(root: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readTimes(Number(name)) ?? []);
  const sum = (pid: number): number => {
    const times = all.find((one) => one.pid === pid);
    const children = all.filter((one) => one.parent === pid);
    return (
      (times?.own ?? 0) + (times?.reaped ?? 0) + children.reduce((total, child) => total + sum(child.pid), 0)
    );
  };
  return sum(root);
}

export function parentOf(pid: number): number | undefined {
  return readTimes(pid)?.parent;
}

/** The fields behind the name in parentheses, which may itself hold spaces. */
function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return {
      pid,
      parent,
      own: (user + system) / ticksPerSecond,
      reaped: (childUser + childSystem) / ticksPerSecond,
    };
  } catch {
    return undefined;
  }
}
