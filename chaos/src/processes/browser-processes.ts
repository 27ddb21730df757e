import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf, isAlive } from './process-table.ts';

type BrowserPart = 'browser' | 'renderer' | 'helper';

export interface BrowserProcess {
  readonly pid: number;
  readonly part: BrowserPart;
}

/** The browser host of a worker, if it has one now. */
export function browserHostOf(worker: number): number | undefined {
  return childrenOf(worker).find((pid) => commandOf(pid).includes('browser-host'));
}

/** The folder of a worker's browsers: it stands in the command of each of their processes. */
export function browserFolderOf(host: number): string | undefined {
  return /holdfast-browser-[0-9a-f]+/.exec(commandOf(host))?.[0];
}

/** Living processes of the browsers of a folder. */
export function browsersIn(folder: string): BrowserProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .flatMap((pid) => {
      const command = commandOf(pid);
      if (!command.includes(`${folder}/`) || command.includes('browser-host') || !isAlive(pid)) return [];
      const [, type] = /--type=([\w-]+)/.exec(command) ?? [];
      const part = type === undefined ? 'browser' : type === 'renderer' ? 'renderer' : 'helper';
      return [{ pid, part } as const];
    });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
