import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Tells a process from any other that had, or will have, its pid. */
export interface ProcessIdentity {
  readonly host: string;
  /** Changes when the machine restarts; a container has that of its machine. */
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
  if (other.bootId !== self.bootId) return true;
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
