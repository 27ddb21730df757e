import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** Identifies a process among all that have had, or will have, its pid. */
export interface ProcessIdentity {
  readonly host: string;
  /** Stays the same across restarts of the machine; empty if unknown, which proves nothing. */
  readonly machineId: string;
  /** The machine's boot id, which changes when it restarts, and the pid namespace. */
  readonly bootId: string;
  readonly pid: number;
  readonly processStart: string;
}

/** `unknown`: the process runs on another machine, or in a container that cannot be inspected. */
export type Verdict = 'dead' | 'alive' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  return {
    host: hostname(),
    machineId: machineId(),
    bootId: `${bootId()} ${processTable()}`.trim(),
    pid: process.pid,
    processStart: startOf(process.pid) ?? '',
  };
}

/**
 * Whether another process is alive, if that is certain. A host name proves nothing, and neither does a machine id by itself:
 * machine images are copied together with the file that holds it. A process with another boot id that gave a sign of life
 * since this machine started runs on such a copy.
 */
export function judgeProcess(
  other: ProcessIdentity,
  silentSeconds: number,
  self = ownIdentity(),
  upSeconds = uptime(),
): Verdict {
  if (!other.machineId || other.machineId !== self.machineId) return 'unknown';
  const [otherBoot, otherTable] = other.bootId.split(' ');
  const [boot, table] = self.bootId.split(' ');
  if (otherBoot !== boot) return silentSeconds > upSeconds ? 'dead' : 'unknown';
  // Another container on this machine: its processes are not visible from here.
  if (!table || otherTable !== table || !other.processStart) return 'unknown';
  return startOf(other.pid) === other.processStart ? 'alive' : 'dead';
}

/** The pid namespace of the host: its inode is the same on every Linux (PROC_PID_INIT_INO). */
const firstTable = 'pid:[4026531836]';

/**
 * In a container the file belongs to the image and is the same wherever that runs. The boot id is used instead: it is as good
 * until the machine restarts, and then proves nothing.
 */
function machineId(): string {
  if (ownTable() === firstTable)
    for (const file of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
      const id = read(file);
      // Well-made images contain this until their first boot.
      if (id && id !== 'uninitialized') return id;
    }
  return bootId();
}

function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id') ?? '';
}

/** The pid namespace, and when its first process started: inodes are reused. */
function processTable(): string {
  const first = startOf(1);
  return first === undefined ? '' : `${ownTable() ?? ''}${first}`;
}

function ownTable(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/** When a process started, in clock ticks since the boot: field 22 of proc(5). */
function startOf(pid: number): string | undefined {
  const fields = statOf(pid);
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

/** The fields of /proc/PID/stat from the third on, the state. The second is a name that may contain spaces. */
function statOf(pid: number | undefined): string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export interface ProcessorTime {
  readonly ms: number;
  /** Whether the process is running or runnable: it waits for nothing but a processor. */
  readonly wantsMore: boolean;
}

const msPerTick = 10;

/** The processor time that a process has used so far; undefined where the system does not tell. */
export function processorTime(pid: number | undefined): ProcessorTime | undefined {
  const fields = statOf(pid);
  if (!fields) return undefined;
  return { ms: (Number(fields[11]) + Number(fields[12])) * msPerTick, wantsMore: fields[0] === 'R' };
}
