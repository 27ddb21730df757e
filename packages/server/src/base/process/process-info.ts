import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** Tells a process from any other that had, or will have, its pid. */
export interface ProcessIdentity {
  readonly host: string;
  /** Stays the same when the machine restarts; empty when that cannot be known, which proves nothing. */
  readonly machineId: string;
  /** The machine's, which changes when it restarts, and the process table that the pid belongs to. */
  readonly bootId: string;
  readonly pid: number;
  readonly processStart: string;
}

/** `unknown`: it runs elsewhere, or where we cannot look. */
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
 * What is certain about another process. A host name proves nothing, nor does a machine id by itself: images of machines are
 * copied with the file that it stands in. So a process that gave a sign of life since this machine started was not of its
 * last boot, but runs on a copy.
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
  // Another container of this machine: its processes cannot be seen from here.
  if (!table || otherTable !== table || !other.processStart) return 'unknown';
  return startOf(other.pid) === other.processStart ? 'alive' : 'dead';
}

/** The inode of the first process table of every Linux (PROC_PID_INIT_INO). */
const firstTable = 'pid:[4026531836]';

/**
 * In a container, the file is the image's, and the same wherever that runs. The boot id stands in then: it is as good as long as
 * the machine does not restart, and afterwards proves nothing.
 */
function machineId(): string {
  if (ownTable() === firstTable)
    for (const file of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
      const id = read(file);
      // Images that are made with care say so until their first start.
      if (id && id !== 'uninitialized') return id;
    }
  return bootId();
}

function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id') ?? '';
}

/** The namespace, and when its first process started: inodes are used again. */
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

/** When a process started, in clock ticks since the boot: the 22nd field, counted behind the name in parentheses. */
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
