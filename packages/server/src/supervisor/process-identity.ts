import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Tells a process from any other that had, or will have, its pid. */
export interface ProcessIdentity {
  readonly host: string;
  /** The machine's, which changes when it restarts, and when the first process of our process table started. */
  readonly bootId: string;
  readonly pid: number;
  readonly processStart: string;
}

export function ownIdentity(): ProcessIdentity {
  return { host: hostname(), bootId: bootId(), pid: process.pid, processStart: startOf(process.pid) ?? '' };
}

/** True only where it is certain: same host, and the machine restarted or the process is not there any more. */
export function isProvablyDead(other: ProcessIdentity, self = ownIdentity()): boolean {
  if (other.host !== self.host || !other.processStart || !self.processStart) return false;
  const [otherBoot, otherTable] = other.bootId.split(' ');
  const [boot, table] = self.bootId.split(' ');
  if (otherBoot !== boot) return true;
  // Another container of the same machine and host name: its processes cannot be seen from here.
  if (otherTable !== table) return false;
  return startOf(other.pid) !== other.processStart;
}

function bootId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // Containers share the machine's boot id and often a host name; their process tables differ.
    return `${boot} ${readFileSync('/proc/1/stat', 'utf8').split(' ').at(21)}`;
  } catch {
    return 'unknown';
  }
}

/** When a process started, in clock ticks since the boot: the 22nd field, counted behind the name in parentheses. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
