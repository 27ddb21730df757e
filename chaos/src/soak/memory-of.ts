import { readFileSync } from 'node:fs';

/** What a process has in memory, in MB; 0 when it is gone. */
export function memoryOf(pid: number): number {
  return fieldOf(`/proc/${pid}/status`, 'VmRSS');
}

/** The same, with its part of what it shares with others: the sum over processes counts nothing twice. */
export function shareOfMemory(pid: number): number {
  return fieldOf(`/proc/${pid}/smaps_rollup`, 'Pss');
}

function fieldOf(file: string, name: string): number {
  try {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
