import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf, isAlive } from './process-table.ts';

interface BrowserProcess {
  readonly pid: number;
  /** The process group of its browser. */
  readonly group: number;
  readonly part: 'browser' | 'renderer' | 'helper';
}

/** The browser host of a worker, if it has one now. */
export function browserHostOf(worker: number): number | undefined {
  return childrenOf(worker).find((pid) => commandOf(pid).includes('browser-host'));
}

/** Living processes of the browsers of a host. The folder of the host stands in the command of each browser. */
export function browsersOf(host: number): BrowserProcess[] {
  const folder = /holdfast-browser-[0-9a-f]+/.exec(commandOf(host))?.[0];
  if (!folder) return [];
  const leaders = allPids().filter((pid) => groupOf(pid) === pid && commandOf(pid).includes(`${folder}/`));
  return browsersIn(new Set(leaders));
}

/** Living processes of these groups, whatever became of their leaders. */
export function browsersIn(groups: ReadonlySet<number>): BrowserProcess[] {
  return allPids().flatMap((pid) => {
    const group = groupOf(pid);
    if (group === undefined || !groups.has(group) || !isAlive(pid)) return [];
    const type = /--type=([\w-]+)/.exec(commandOf(pid))?.[1];
    const part = pid === group ? 'browser' : type === 'renderer' ? 'renderer' : 'helper';
    return [{ pid, group, part } as const];
  });
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
