import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Table } from '../print-table.ts';

/** The outcome of a benchmark with what it was measured on, as docs/performance.md is made from it. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly machine: { readonly cores: number; readonly processor: string; readonly memory_gb: number };
  readonly node: string;
  readonly postgres: string;
  readonly pass: boolean;
  readonly figures: Record<string, unknown>;
  readonly table: Table;
}

export const resultsFolder = new URL('../../results/', import.meta.url);

/** The newest outcome of each benchmark is kept, whatever it was. */
export function saveResult(
  result: Pick<Result, 'id' | 'title' | 'postgres' | 'pass' | 'figures' | 'table'>,
): void {
  const saved: Result = {
    ...result,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cores: cpus().length,
      processor: cpus()[0]?.model.trim() ?? 'unknown',
      memory_gb: Math.round(totalmem() / 2 ** 30),
    },
    node: process.versions.node,
  };
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(new URL(`${result.id}.json`, resultsFolder), `${JSON.stringify(saved, undefined, 2)}\n`);
}
