import { readFileSync } from 'node:fs';

export interface ProcessorTime {
  readonly ms: number;
  /** It runs, or would if it were let: it waits for nothing but a processor. */
  readonly wantsMore: boolean;
}

const msPerTick = 10;

/** What a process has had of the processors so far; undefined where the system does not tell. */
export function processorTime(pid: number | undefined): ProcessorTime | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { ms: (Number(fields[11]) + Number(fields[12])) * msPerTick, wantsMore: fields[0] === 'R' };
  } catch {
    return undefined;
  }
}
